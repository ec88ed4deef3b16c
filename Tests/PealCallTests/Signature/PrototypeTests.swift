import Testing

@testable import PealCall

@Suite struct PrototypeTests {
    /// A scope with the types that the tables below use.
    static let scope: TypeScope = {
        var scope = TypeScope()
        try? scope.declare(
            """
            struct point { double x, y; };
            struct message { int32_t id; const char *text; struct point at; };
            typedef struct { uint8_t bytes[16]; } uuid_t;
            typedef int (*compare_t)(const void *, const void *);
            typedef void handler_t(int signal);
            typedef const char *cstring_t;
            typedef uint8_t *bytes_t;
            typedef int32_t vector_t[3];
            enum color { RED, GREEN = 3, LIMIT = 16 };
            typedef enum { NORTH = -1, SOUTH } direction_t;
            """)
        return scope
    }()

    @Test func `P2: a prototype gives the names of the method and of its parameters`() throws {
        let signature = try Signature("bool on_open_url(const char *url, int32_t flags)")
        #expect(signature.name == "on_open_url")
        #expect(signature.result == .scalar(.bool))
        #expect(signature.parameters.map(\.name) == ["url", "flags"])
        #expect(signature.parameters.map(\.shape) == [.pointer, .int32])
    }

    @Test(arguments: [
        ("void f()", "void f(void)"),
        ("void f(void);", "void f(void)"),
        ("unsigned f(long unsigned int)", "unsigned int f(unsigned long)"),
        ("char const *f(char const * const s)", "const char *f(const char *s)"),
        ("void f ( int a [ 3 ] )", "void f(int *__counted_by_or_null(3) a)"),
        ("void f(int a[static 3])", "void f(int *__counted_by(3) a)"),
        ("void f(int a[LIMIT])", "void f(int *__counted_by_or_null(16) a)"),
        ("void f(int a[])", "void f(int *a)"),
        ("void f(int a[][3])", "void f(int (*a)[3])"),
        ("void f(double m[2][3])", "void f(double (*__counted_by_or_null(2) m)[3])"),
        ("void f(vector_t v)", "void f(int32_t *__counted_by_or_null(3) v)"),
        ("void f(int cb(int))", "void f(int (*cb)(int))"),
        ("void f(handler_t h)", "void f(handler_t *h)"),
        ("void f(compare_t)", "void f(compare_t)"),
        ("void (*f(int s, void (*g)(int)))(int)", "void (*f(int s, void (*g)(int)))(int)"),
        ("int (*(*f(void))[3])(char)", "int (*(*f(void))[3])(char)"),
        ("void f(int (*(*a)[2])(void (*)(int), ...))", "void f(int (*(*a)[2])(void (*)(int), ...))"),
        ("void f(const struct message *m)", "void f(const struct message *m)"),
        ("void f(FILE *f, union u *u, struct s *s)", "void f(FILE *f, union u *u, struct s *s)"),
        ("void f(char *restrict a, char **__restrict b)", "void f(char *a, char **b)"),
        ("void f(char *const *volatile *p)", "void f(char *const *volatile *p)"),
        (
            "char *_Nullable f(char *_Nonnull a, void *_Nullable)",
            "char *_Nullable f(char *_Nonnull a, void *_Nullable)"
        ),
        ("void f(int *_Null_unspecified a)", "void f(int *_Null_unspecified a)"),
        ("extern void f(register int x);", "void f(int x)"), ("static inline int f(void)", "int f(void)"),
        ("void inline f(void)", "void f(void)"), ("_Noreturn void __inline f(int)", "void f(int)"),
        (
            "extern char *f(int a) __asm__ (\"\" \"__isoc99_f\") __attribute__((__nothrow__ , __leaf__)) __attribute__((__nonnull__(1, 2)));",
            "char *f(int a)"
        ),
        ("__attribute__((visibility(\"default\"))) int f(int a __attribute__((unused)))", "int f(int a)"),
        ("[[nodiscard, gnu::pure]] int f(int x [[maybe_unused]])", "int f(int x)"),
        ("__extension__ extern long long int f(void) __attribute__ (())", "long long f(void)"),
        ("_Float64 f(_Float32x a, _Float64x _Complex b)", "double f(double a, long double _Complex b)"),
        ("void f(int (FILE *))", "void f(int (*)(FILE *))"),
        ("void f(int (FILE *, int), int)", "void f(int (*)(FILE *, int), int)"),
        ("void f(int (quux))", "void f(int quux)"),
        ("void f(_Atomic int *a, _Atomic(long) *b)", "void f(_Atomic int *a, _Atomic long *b)"),
        ("void f(const uint8_t *__counted_by(n) b, size_t n)", "void f(const uint8_t *__counted_by(n) b, size_t n)"),
        ("void f(size_t n, void *b __sized_by_or_null(n))", "void f(size_t n, void *__sized_by_or_null(n) b)"),
        ("void f(bytes_t b __counted_by(8))", "void f(bytes_t b __counted_by(8))"),
        ("void f(bytes_t __counted_by(8))", "void f(bytes_t __counted_by(8))"),
        ("struct point f(uuid_t, enum color c)", "struct point f(uuid_t, enum color c)"),
        ("void f(double complex z, float _Complex)", "void f(double _Complex z, float _Complex)"),
        ("void /* a */ f // b\n(int /* c, */ x)", "void f(int x)"),
        ("void f(int (x))", "void f(int x)"),
        ("void f(int (int32_t))", "void f(int (*)(int32_t))"),
        ("void f(void (*log)(const char *format, va_list list))", "void f(void (*log)(const char *, va_list))"),
        ("void f(void (*)(union u, struct s))", "void f(void (*)(union u, struct s))"),
    ])
    func `P2: a prototype is printed as C, in peal's own spelling`(text: String, printed: String) throws {
        let signature = try Signature(text, in: Self.scope)
        #expect(signature.description == printed)
        #expect(try Signature(printed, in: Self.scope) == signature)
        #expect(try Signature(printed, in: Self.scope).description == printed)
    }

    @Test(arguments: [
        ("bool", Scalar.bool), ("_Bool", .bool), ("char", .char), ("signed char", .signedChar),
        ("char signed", .signedChar), ("unsigned char", .unsignedChar), ("short", .short),
        ("short int", .short), ("signed short int", .short), ("int short signed", .short),
        ("unsigned short", .unsignedShort), ("int unsigned short", .unsignedShort), ("int", .int),
        ("signed", .int), ("signed int", .int), ("unsigned", .unsignedInt), ("int unsigned", .unsignedInt),
        ("long", .long), ("long int", .long), ("int long signed", .long), ("unsigned long", .unsignedLong),
        ("long unsigned int", .unsignedLong), ("long long", .longLong), ("long int long", .longLong),
        ("long signed long int", .longLong), ("unsigned long long", .unsignedLongLong),
        ("long int unsigned long", .unsignedLongLong), ("float", .float), ("double", .double),
        ("long double", .longDouble), ("double long", .longDouble), ("float _Complex", .complexFloat),
        ("_Complex float", .complexFloat), ("double complex", .complexDouble),
        ("complex double", .complexDouble), ("long _Complex double", .complexLongDouble),
        ("const int", .int), ("int volatile const", .int),
    ])
    func `P3: every spelling of a scalar type gives its one type`(text: String, scalar: Scalar) throws {
        let signature = try Signature("void f(\(text) value)")
        #expect(signature.parameters[0].type == .scalar(scalar))
        #expect(signature.parameters[0].shape == scalar.shape)
        #expect(try Signature("\(text) f(void)").result == .scalar(scalar))
    }

    @Test(arguments: [
        "short long", "long long long", "unsigned float", "signed unsigned", "long float", "short double",
        "long char", "void int", "bool int", "_Complex", "_Complex int", "long long double", "int int",
        "char char", "unsigned bool", "signed signed",
    ])
    func `P3: words that are no type together are refused`(text: String) {
        #expect(throws: SyntaxError(.syntax, "these words together are no type", column: 8)) {
            try Signature("void f(\(text) value)")
        }
    }

    @Test(arguments: [
        ("int8_t", 1), ("uint8_t", 1), ("int16_t", 2), ("uint16_t", 2), ("int32_t", 4), ("uint32_t", 4),
        ("int64_t", 8), ("uint64_t", 8), ("int_least8_t", 1), ("uint_least16_t", 2), ("int_least32_t", 4),
        ("uint_least64_t", 8), ("int_fast8_t", 1), ("uint_fast8_t", 1), ("int_fast16_t", 8),
        ("uint_fast16_t", 8), ("int_fast32_t", 8), ("uint_fast32_t", 8), ("int_fast64_t", 8),
        ("uint_fast64_t", 8), ("intptr_t", 8), ("uintptr_t", 8), ("intmax_t", 8), ("uintmax_t", 8),
        ("size_t", 8), ("ssize_t", 8), ("ptrdiff_t", 8), ("wchar_t", 4), ("wint_t", 4), ("char8_t", 1),
        ("char16_t", 2), ("char32_t", 4), ("off_t", 8), ("time_t", 8), ("pid_t", 4), ("uid_t", 4),
        ("gid_t", 4), ("id_t", 4), ("mode_t", 4), ("clock_t", 8), ("clockid_t", 4), ("socklen_t", 4),
        ("dev_t", 8), ("ino_t", 8), ("useconds_t", 4), ("suseconds_t", 8), ("in_port_t", 2),
    ])
    func `P3: the type names of the C library have the sizes of an LP64 Linux machine`(name: String, size: Int) throws {
        #expect(try TypeScope().layout(of: name) == Layout(size: size, alignment: size))
    }

    @Test func `P3: an enum that was not declared is unsigned int, as with gcc and clang`() throws {
        #expect(try Signature("void f(enum mode m)").parameters[0].shape == .uint32)
    }

    @Test func `P3: a declared enum has the type that gcc gives it`() throws {
        let signature = try Signature("direction_t f(enum color c)", in: Self.scope)
        #expect(signature.result.shape == .int32)
        #expect(signature.parameters[0].shape == .uint32)
    }

    @Test func `P3: a struct by value carries its members, arrays as their elements`() throws {
        let signature = try Signature("uuid_t f(struct message m)", in: Self.scope)
        #expect(signature.result.shape == .structure(Array(repeating: .uint8, count: 16)))
        #expect(
            signature.parameters[0].shape == .structure([.int32, .pointer, .structure([.double, .double])]))
    }

    @Test(arguments: [
        ("const char *s", Ownership.string), ("char const *s", .string), ("const char *const s", .string),
        ("const char s[]", .string), ("cstring_t s", .string), ("const char *restrict s", .string),
        ("char *s", .bare), ("const signed char *s", .bare), ("const unsigned char *s", .bare),
        ("const char **s", .bare), ("volatile const char *s", .bare), ("void *s", .bare), ("FILE *s", .bare),
        ("const struct message *s", .bare), ("bytes_t s", .bare), ("int s[]", .bare),
        ("void (*s)(void)", .function), ("compare_t s", .function), ("handler_t s", .function),
        ("handler_t *s", .function), ("int s(void)", .function), ("int s", .value), ("uuid_t s", .value),
        ("enum color s", .value),
        ("int *__counted_by(3) s", .counted(by: .constant(3), elementSize: 4, allowsNull: false)),
        ("const char *__counted_by(3) s", .counted(by: .constant(3), elementSize: 1, allowsNull: false)),
        ("struct point *__counted_by_or_null(2) s", .counted(by: .constant(2), elementSize: 16, allowsNull: true)),
        ("void *__sized_by(LIMIT) s", .sized(by: .constant(16), allowsNull: false)),
        ("bytes_t s __sized_by_or_null(0x10)", .sized(by: .constant(16), allowsNull: true)),
        ("const char s[8]", .counted(by: .constant(8), elementSize: 1, allowsNull: true)),
        ("double s[static 2][3]", .counted(by: .constant(2), elementSize: 24, allowsNull: false)),
    ])
    func `Q3: the ownership of a pointed-to object follows from its declaration`(
        parameter: String, ownership: Ownership
    ) throws {
        let signature = try Signature("void f(\(parameter))", in: Self.scope)
        #expect(signature.parameters[0].ownership == ownership)
    }

    @Test func `Q3: a length names a parameter before or after its pointer`() throws {
        let signature = try Signature(
            "void f(const double *__counted_by(n) a, uint32_t n, short m, void *b __sized_by_or_null(m))")
        #expect(signature.parameters[0].ownership == .counted(by: .parameter(1), elementSize: 8, allowsNull: false))
        #expect(signature.parameters[3].ownership == .sized(by: .parameter(2), allowsNull: true))
    }

    @Test(arguments: [
        ("void f(unsigned a)", "void f(unsigned int b)"), ("void f()", "void f(void)"),
        ("void f(int32_t a)", "void f(int)"), ("void f(int a[])", "void f(int *const a)"),
        ("void f(size_t n)", "void f(unsigned long n)"), ("void f(int g(int))", "void f(int (*)(const int))"),
        ("void f(vector_t *v)", "void f(int (*v)[3])"), ("void f(const vector_t *v)", "void f(const int (*v)[3])"),
        ("void f(compare_t c)", "void f(int (*c)(const void *, const void *))"),
    ])
    func `P1: spelling and parameter names do not make prototypes differ`(first: String, second: String) throws {
        let (one, two) = (try Signature(first, in: Self.scope), try Signature(second, in: Self.scope))
        #expect(one == two)
        #expect(one.firstDifference(from: two) == nil)
    }

    @Test(arguments: [
        ("int f(void)", "int g(void)", "it is 'f' in the first and 'g' in the second"),
        ("bool f(void)", "int f(void)", "the result is bool in the first and int in the second"),
        (
            "void f(int a, int32_t flags)", "void f(int a, int64_t flags)",
            "parameter 2 'flags' is int32_t in the first and int64_t in the second"
        ),
        ("void f(long)", "void f(long long)", "parameter 1 is long in the first and long long in the second"),
        ("void f(int)", "void f(int, int)", "the first has 1 parameter and the second 2 parameters"),
        ("void f(void)", "void f(int)", "the first has no parameters and the second 1 parameter"),
        (
            "void f(char *s)", "void f(const char *s)",
            "parameter 1 's' is char * in the first and const char * in the second"
        ),
        (
            "void f(void *p, int n)", "void f(void *p __sized_by(n), int n)",
            "parameter 1 'p' is a pointer without a length in the first and sized by parameter 2 'n' in the second"
        ),
        ("void f(enum a x)", "void f(enum b x)", "parameter 1 'x' is enum a in the first and enum b in the second"),
        (
            "void f(struct a *x)", "void f(struct b *x)",
            "parameter 1 'x' is struct a * in the first and struct b * in the second"
        ),
        (
            "void f(void (*c)(int))", "void f(void (*c)(int, ...))",
            "parameter 1 'c' is void (*)(int) in the first and void (*)(int, ...) in the second"
        ),
    ])
    func `P1: the first difference between two prototypes is named`(first: String, second: String, words: String) throws
    {
        let (one, two) = (try Signature(first), try Signature(second))
        #expect(one.firstDifference(from: two) == words)
        #expect(one != two)
    }

    @Test(arguments: [
        ("int f(int a)", "int g(int b)", "it is 'f' in the first and 'g' in the second"),
        (
            "void f(void *p, int n)", "void f(void *p __sized_by(n), int n)",
            "parameter 1 'p' is a pointer without a length in the first and sized by parameter 2 'n' in the second"
        ),
        (
            "void f(int *a)", "void f(int a[3])",
            "parameter 1 'a' is a pointer without a length in the first and"
                + " counted by 3 in elements of 4 bytes or null in the second"
        ),
        (
            "void f(const char *s)", "void g(const char *s __counted_by(2))",
            "it is 'f' in the first and 'g' in the second"
        ),
    ])
    func `P1: compared as functions, prototypes may differ in the names of methods and the pointed-to types`(
        first: String, second: String, words: String
    ) throws {
        let (one, two) = (try Signature(first), try Signature(second))
        #expect(one.firstDifference(from: two, asFunctions: true) == nil)
        #expect(two.firstDifference(from: one, asFunctions: true) == nil)
        #expect(one.firstDifference(from: two) == words)
        #expect(one != two)
    }

    @Test(arguments: [
        ("int f(void)", "long g(void)", "the result is int in the first and long in the second"),
        (
            "void f(char *s)", "void g(const char *s)",
            "parameter 1 's' is char * in the first and const char * in the second"
        ),
        (
            "void f(void *p, int n)", "void g(void *p __sized_by(n), long n)",
            "parameter 2 'n' is int in the first and long in the second"
        ),
        ("void f(int *a)", "void g(int a[3], int)", "the first has 1 parameter and the second 2 parameters"),
    ])
    func `P1: compared as functions, prototypes must have the same types and number of parameters`(
        first: String, second: String, words: String
    ) throws {
        #expect(try Signature(first).firstDifference(from: Signature(second), asFunctions: true) == words)
    }

    @Test func `P1: a struct of one name with other members differs, and both are shown`() throws {
        var other = TypeScope()
        try other.declare("struct point { float x, y; };")
        let one = try Signature("void f(struct point p)", in: Self.scope)
        let two = try Signature("void f(struct point p)", in: other)
        #expect(
            one.firstDifference(from: two)
                == "parameter 1 'p' is struct point { double x; double y; } in the first"
                + " and struct point { float x; float y; } in the second")
    }

    @Test func `P1: a type that is declared between two definitions does not make them differ`() throws {
        var scope = TypeScope()
        let text = "void f(const thing_t *a, thing_t **b, enum kind *k, void (*g)(thing_t *))"
        let before = try Signature(text, in: scope)
        try scope.declare("typedef struct thing thing_t; enum kind { NONE = -1 };")
        let after = try Signature(text, in: scope)
        #expect(before.firstDifference(from: after) == nil)
        #expect(after.firstDifference(from: before) == nil)
    }
}

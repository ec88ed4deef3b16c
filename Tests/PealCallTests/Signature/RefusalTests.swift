import Testing

@testable import PealCall

/// One line of a table of texts that are refused.
struct Refusal: Sendable, CustomTestStringConvertible {
    let text: String
    let kind: SyntaxError.Kind
    let column: Int
    let message: String

    init(_ text: String, _ kind: SyntaxError.Kind, _ column: Int, _ message: String) {
        self.text = text
        self.kind = kind
        self.column = column
        self.message = message
    }

    var testDescription: String { text }
    var error: SyntaxError { SyntaxError(kind, message, column: column) }
}

@Suite struct RefusalTests {
    static let scope: TypeScope = {
        var scope = TypeScope()
        try? scope.declare(
            """
            struct point { double x, y; }; struct later; enum color { RED }; union value;
            typedef int array_t[4]; typedef int function_t(int); typedef void nothing_t;
            typedef union value value_t; typedef struct later later_t;
            """)
        return scope
    }()

    static let aggregates: [Refusal] = [
        .init(
            "void f(union value v)", .unknownType, 8,
            "the members of 'union value' are not known; declare it first with peal_type_declare"),
        .init(
            "void f(int a, value_t v)", .unknownType, 15,
            "the members of 'union value' are not known; declare it first with peal_type_declare"),
        .init(
            "union value f(void)", .unknownType, 1,
            "the members of 'union value' are not known; declare it first with peal_type_declare"),
        .init(
            "void f(struct { int x; } s)", .unsupported, 8,
            "a struct cannot be declared here; declare it first with peal_type_declare"),
        .init(
            "void f(struct s { int x; } s)", .unsupported, 8,
            "a struct cannot be declared here; declare it first with peal_type_declare"),
        .init(
            "void f(enum e { A } e)", .unsupported, 8,
            "an enum cannot be declared here; declare it first with peal_type_declare"),
        .init(
            "void f(union { int x; } *u)", .unsupported, 8,
            "a union cannot be declared here; declare it first with peal_type_declare"),
        .init(
            "void f(struct later s)", .unknownType, 8,
            "the members of 'struct later' are not known; declare it first with peal_type_declare"),
        .init(
            "void f(later_t s)", .unknownType, 8,
            "the members of 'struct later' are not known; declare it first with peal_type_declare"),
        .init(
            "struct piont f(void)", .unknownType, 1,
            "the members of 'struct piont' are not known; declare it first with peal_type_declare,"
                + " or did you mean 'struct point'?"),
        .init("void f(enum point p)", .conflict, 13, "'point' is declared as struct, not as enum"),
        .init("void f(struct color *p)", .conflict, 15, "'color' is declared as enum, not as struct"),
        .init("void f(union point *p)", .conflict, 14, "'point' is declared as struct, not as union"),
        .init(
            "void f(_Atomic struct point p)", .unsupported, 16,
            "'_Atomic' of this type cannot be passed by value; use a pointer"),
    ]

    static let types: [Refusal] = [
        .init(
            "void f(int a, strct_t b)", .unknownType, 15, "unknown type 'strct_t'; declare it with peal_type_declare"),
        .init(
            "void f(int32 a)", .unknownType, 8,
            "unknown type 'int32'; declare it with peal_type_declare, or did you mean 'int32_t'?"),
        .init(
            "void f(usigned int a)", .unknownType, 8,
            "unknown type 'usigned'; declare it with peal_type_declare, or did you mean 'unsigned'?"),
        .init(
            "void f(strct point p)", .unknownType, 8,
            "unknown type 'strct'; declare it with peal_type_declare, or did you mean 'struct'?"),
        .init("void f(point p)", .unknownType, 8, "unknown type 'point'; write 'struct point'"),
        .init("quux f(void)", .unknownType, 1, "unknown type 'quux'; declare it with peal_type_declare"),
        .init("void f(void (*g)(quux))", .unknownType, 18, "unknown type 'quux'; declare it with peal_type_declare"),
        .init(
            "void f(va_list list)", .unsupported, 8,
            "'va_list' cannot be kept beyond the call; pass the values, or a pointer to them"),
        .init(
            "void f(__int128 x)", .unsupported, 8,
            "'__int128' is not supported; use a pointer or two 64-bit integers"),
        .init(
            "void f(unsigned __int128 x)", .unsupported, 17,
            "'__int128' is not supported; use a pointer or two 64-bit integers"),
        .init(
            "void f(_BitInt(7) x)", .unsupported, 8, "'_BitInt' is not supported; use a pointer or two 64-bit integers"),
        .init("_Decimal32 f(void)", .unsupported, 1, "'_Decimal32' is not supported; use float, double or long double"),
        .init("_Decimal64 f(void)", .unsupported, 1, "'_Decimal64' is not supported; use float, double or long double"),
        .init(
            "void f(_Decimal128 x)", .unsupported, 8, "'_Decimal128' is not supported; use float, double or long double"
        ),
        .init("void f(_Float128 x)", .unsupported, 8, "'_Float128' is not supported; use float, double or long double"),
        .init(
            "void f(__float128 *x)", .unsupported, 8, "'__float128' is not supported; use float, double or long double"),
        .init("void f(_Float16 x)", .unsupported, 8, "'_Float16' is not supported; use float, double or long double"),
        .init(
            "void f(double _Imaginary x)", .unsupported, 15,
            "'_Imaginary' is not supported; use float, double or long double"),
        .init("void f(typeof(int) x)", .unsupported, 8, "'typeof' is not supported; write the type itself"),
        .init(
            "void f(int x, void)", .unsupported, 15,
            "a parameter cannot be void; write '(void)' alone for none, or 'void *'"),
        .init(
            "void f(void, int x)", .unsupported, 8,
            "a parameter cannot be void; write '(void)' alone for none, or 'void *'"),
        .init(
            "void f(void x)", .unsupported, 8,
            "a parameter cannot be void; write '(void)' alone for none, or 'void *'"),
        .init(
            "void f(const void)", .unsupported, 14,
            "a parameter cannot be void; write '(void)' alone for none, or 'void *'"),
        .init(
            "void f(nothing_t)", .unsupported, 8,
            "a parameter cannot be void; write '(void)' alone for none, or 'void *'"),
        .init("void f(int _Nonnull x)", .syntax, 12, "'_Nonnull' belongs after a '*'"),
        .init("void f(quux _Nullable x)", .unknownType, 8, "unknown type 'quux'; declare it with peal_type_declare"),
        .init(
            "optinal void f(void)", .unknownType, 1,
            "unknown type 'optinal'; declare it with peal_type_declare, or did you mean 'optional'?"),
        .init(
            "peal_completion f(void)", .unsupported, 1,
            "'f' returns a completion, which is a parameter; return void and take a peal_completion"),
        .init(
            "int f(int a, peal_completion done)", .unsupported, 14,
            "'f' has a completion and returns int; results come by the completion, so return void"),
        .init(
            "void f(peal_completion a, peal_completion b)", .unsupported, 27,
            "'f' has two completions, and a method has one; remove this one"),
        .init("void f(int restrict x)", .syntax, 12, "'restrict' belongs after a '*'"),
        .init("void f(const x)", .unknownType, 14, "unknown type 'x'; declare it with peal_type_declare"),
        .init("void f(const)", .syntax, 13, "the type is missing; C no longer takes it for int"),
        .init("void f(int struct s *x)", .syntax, 12, "'struct' begins a second type; is a ',' missing?"),
        .init("f(int x)", .syntax, 1, "'f' has no result type; write 'void f(...)' for none"),
    ]

    static let declarators: [Refusal] = [
        .init(
            "void f(int a[n], int n)", .unsupported, 14,
            "the length of an array must be a constant; for one that varies write a pointer with __counted_by(name)"),
        .init(
            "void f(int n, int a[*])", .unsupported, 21,
            "the length of an array must be a constant; for one that varies write a pointer with __counted_by(name)"),
        .init("void f(int a[0])", .unsupported, 14, "an array has one element or more"),
        .init("void f(int a[-1])", .unsupported, 14, "an array has one element or more"),
        .init("void f(int a[][])", .syntax, 15, "only the first length of an array may be left out"),
        .init("void f(int a[2][])", .syntax, 16, "only the first length of an array may be left out"),
        .init("void f(int a[2)", .syntax, 15, "')' stands where ']' after the length of the array is expected"),
        .init(
            "void f(int a[99999999999999999999])", .limit, 14, "'99999999999999999999' is too big for any integer type"),
        .init("void f(int a[0xFFFFFFFFFFFFFFFF])", .limit, 14, "the array is too large"),
        .init("void f(int a[2147483647])", .limit, 8, "the buffer is too large"),
        .init("void f(int a[1.5])", .syntax, 14, "a floating-point number has no place here"),
        .init("void f(int a[3x])", .syntax, 14, "'3x' is no integer"),
        .init("void f(int a[09])", .syntax, 14, "'09' is no integer"),
        .init("void f(int a[1 / 0])", .limit, 16, "the result of '/' is not defined or does not fit its type"),
        .init("void f(int a[2147483647 + 1])", .limit, 25, "the result of '+' is not defined or does not fit its type"),
        .init("void f(void a[3])", .syntax, 14, "an array of void does not exist; use 'void *'"),
        .init("void f(int a[3](int))", .syntax, 13, "an array of functions does not exist; use function pointers"),
        .init("int f(void)[3]", .syntax, 6, "a function cannot return an array; return a pointer"),
        .init("int f(void)(int)", .syntax, 6, "a function cannot return a function; return a pointer to it"),
        .init("array_t f(void)", .syntax, 10, "a function cannot return an array; return a pointer"),
        .init("function_t f(void)", .syntax, 13, "a function cannot return a function; return a pointer to it"),
        .init("void f(array_t (*g)(void))", .syntax, 20, "a function cannot return an array; return a pointer"),
        .init("void (*f)(int)", .syntax, 8, "'f' is a pointer, not a method; a method is its name and its parameters"),
        .init("int f[3]", .syntax, 5, "'f' is an array, not a method; a method is its name and its parameters"),
        .init("int f", .syntax, 6, "the text ends where the '(' of the parameters is expected"),
        .init("function_t f", .syntax, 13, "the text ends where the '(' of the parameters is expected"),
        .init("int (int)", .syntax, 6, "'int' is a word of C and cannot name a method"),
        .init("int *", .syntax, 6, "the text ends where the name of a method is expected"),
        .init("void f(int a, int b, int a)", .syntax, 26, "two parameters are named 'a'; rename one"),
        .init("void f(void (*g)(int a, long a))", .syntax, 30, "two parameters are named 'a'; rename one"),
        .init(
            "void f(int a, ...)", .unsupported, 15, "a method takes a fixed list of parameters; pass an array for '...'"
        ),
        .init("void f(int for)", .syntax, 12, "'for' is a word of C and cannot name a parameter"),
        .init("void while(int x)", .syntax, 6, "'while' is a word of C and cannot name a method"),
        .init("void f(int a int b)", .syntax, 14, "'int' stands where ',' or ')' after a parameter is expected"),
        .init("void f(int a", .syntax, 7, "this '(' is never closed"),
        .init("void f(int (*g)(int", .syntax, 16, "this '(' is never closed"),
        .init("void f(int (*g(int))", .syntax, 7, "this '(' is never closed"),
        .init("void f(int a,)", .syntax, 14, "')' stands where a type is expected"),
        .init("void f(,)", .syntax, 8, "',' stands where a type is expected"),
        .init("void f(int a))", .syntax, 14, "')' stands where ',', ';' or the end is expected"),
        .init("void f(int a) const", .syntax, 15, "'const' stands where ',', ';' or the end is expected"),
        .init(
            "void f(a, b) int a, b;", .unsupported, 8,
            "write the types of the parameters in the parentheses; C no longer has the old style"),
        .init("void f(int a) void g(int b)", .syntax, 15, "'void' stands where ',', ';' or the end is expected"),
        .init("void f(int a); void g(int b);", .syntax, 16, "one text declares one method; nothing follows its ';'"),
        .init("", .syntax, 1, "the text ends where a type is expected"),
        .init(";", .syntax, 1, "';' stands where a type is expected"),
        .init("42", .syntax, 1, "'42' stands where a type is expected"),
    ]

    static let words: [Refusal] = [
        .init("register void f(void)", .unsupported, 1, "'register' has no meaning for a call; remove it"),
        .init("_Thread_local void f(void)", .unsupported, 1, "'_Thread_local' has no meaning for a call; remove it"),
        .init("void f(static int x)", .unsupported, 8, "'static' has no meaning for a call; remove it"),
        .init("void f(void (*inline g)(void))", .unsupported, 15, "'inline' has no meaning for a call; remove it"),
        .init(
            "typedef void f(void)", .unsupported, 1,
            "'typedef' has no place here; declare the name with peal_type_declare"),
        .init(
            "void f(int x) __attribute__((pure, __ms_abi__))", .unsupported, 15,
            "attribute '__ms_abi__' is not supported, it may change how the value is passed; remove it"),
        .init(
            "void f(int x) __attribute__((pure)", .unsupported, 15,
            "'__attribute__' is not supported, it may change how the value is passed; remove it"),
        .init(
            "[[gnu::packed]] int f(void)", .unsupported, 1,
            "attribute 'packed' is not supported, it may change how the value is passed; remove it"),
        .init(
            "void f(int x __attribute__((vector_size(16))))", .unsupported, 14,
            "attribute 'vector_size' is not supported, it may change how the value is passed; remove it"),
        .init(
            "__attribute__((vector_size(16))) int f(void)", .unsupported, 1,
            "attribute 'vector_size' is not supported, it may change how the value is passed; remove it"),
        .init(
            "void f(int * __attribute__((x)) p)", .unsupported, 14,
            "attribute 'x' is not supported, it may change how the value is passed; remove it"),
        .init("int f(int x [[maybe_unused)", .unsupported, 13, "these attributes cannot be read; remove them"),
        .init(
            "void f(_Alignas(16) int x)", .unsupported, 8,
            "'_Alignas' is not supported, it may change how the value is passed; remove it"),
        .init(
            "void f(alignas(16) int x)", .unsupported, 8,
            "'alignas' is not supported, it may change how the value is passed; remove it"),
        .init("void f(int &x)", .unsupported, 12, "references are C++; use a pointer"),
        .init("void f(int &&x)", .unsupported, 12, "references are C++; use a pointer"),
        .init("void f(std::string s)", .unsupported, 11, "'::' is C++; use a C type"),
        .init("template<class T> void f(T x)", .unsupported, 9, "templates are C++; use a C type"),
        .init("void f(vector<int> x)", .unsupported, 14, "templates are C++; use a C type"),
        .init("void f(class foo x)", .unsupported, 8, "'class' is C++; use a C type"),
        .init("void f(int x = 3)", .syntax, 14, "default arguments are C++; remove it"),
        .init(
            "void f(void (^block)(void))", .unsupported, 14,
            "blocks are not supported; use a function pointer and a context"),
        .init(
            "#define X\nvoid f(void)", .syntax, 1,
            "preprocessor lines are not read; give the text as the preprocessor leaves it"),
        .init(
            "void f(int x)\n#endif", .syntax, 15,
            "preprocessor lines are not read; give the text as the preprocessor leaves it"),
    ]

    static let bytes: [Refusal] = [
        .init("void f(int x /* never", .syntax, 14, "this comment has no end; close it with '*/'"),
        .init("void f(int x) /*/", .syntax, 15, "this comment has no end; close it with '*/'"),
        .init(
            "void f(int größe)", .syntax, 14, "only ASCII is allowed outside comments; write the name in ASCII letters"),
        .init(
            "void f(int /* größe */ \u{E9})", .syntax, 26,
            "only ASCII is allowed outside comments; write the name in ASCII letters"),
        .init("void f(\"s\")", .syntax, 8, "a string has no place in a declaration"),
        .init("void f(int @x)", .syntax, 12, "'@' has no meaning here"),
        .init("void f(int $x)", .syntax, 12, "'$' has no meaning here"),
        .init("void f(\u{0}int x)", .syntax, 8, "the text contains a control character (byte 0)"),
        .init("void f(\"s)", .syntax, 8, "this string has no end; close it with '\"'"),
        .init("void f(int a['\\x1FF'])", .syntax, 14, "a character constant is one ASCII character or one escape"),
        .init("void f(int a['\\8'])", .syntax, 14, "a character constant is one ASCII character or one escape"),
        .init("void f(int a[(double)1])", .syntax, 15, "a constant is an integer, and this cast gives double"),
        .init("void f(int a[1 ? 2])", .syntax, 19, "']' stands where ':' of '?' is expected"),
        .init("void f(int a['x)", .syntax, 14, "this character constant has no end; close it with \"'\""),
        .init("void f(int a['xy'])", .syntax, 14, "a character constant is one ASCII character or one escape"),
    ]

    static let lengths: [Refusal] = [
        .init("void f(int *__counted_by(n) p)", .syntax, 26, "no parameter is named 'n'"),
        .init(
            "void f(int *__counted_by(cout) p, int count)", .syntax, 26,
            "no parameter is named 'cout'; did you mean 'count'?"),
        .init(
            "void f(int *__counted_by(n) p, double n)", .syntax, 26, "'n' cannot count, it is double; use an integer"),
        .init("void f(int *__counted_by(n) p, bool n)", .syntax, 26, "'n' cannot count, it is bool; use an integer"),
        .init("void f(int *__counted_by(p) p)", .syntax, 26, "'p' cannot count, it is int *; use an integer"),
        .init(
            "void f(int n, int __counted_by(n) p)", .syntax, 19, "'__counted_by' belongs to a pointer, and this is int"),
        .init(
            "void f(int n, int *__counted_by(n) *p)", .unsupported, 20,
            "'__counted_by' is allowed only at the outermost pointer of a parameter; remove it"),
        .init(
            "int *__counted_by(n) f(int n)", .unsupported, 6,
            "'__counted_by' is allowed only at the outermost pointer of a parameter; remove it"),
        .init(
            "void f(int n, int *__counted_by(n) __sized_by(n) p)", .syntax, 36,
            "the length of this pointer is given already; remove '__sized_by'"),
        .init(
            "void f(int n, int *__counted_by(n) p __sized_by(n))", .syntax, 38,
            "the length of this pointer is given twice"),
        .init(
            "void f(int n, void *__counted_by(n) p)", .unsupported, 21,
            "the elements of 'void *' have no size; count bytes with __sized_by"),
        .init(
            "void f(int n, struct later *__counted_by(n) p)", .unknownType, 29,
            "the members of 'struct later' are not known; declare it first with peal_type_declare"),
        .init(
            "void f(int n, void (*__counted_by(n) p)(void))", .syntax, 22,
            "a function has no length; remove '__counted_by'"),
        .init(
            "void f(int n, int *__counted_by(n * 2) p)", .unsupported, 35,
            "a length is one parameter or one number, without an expression"),
        .init("void f(int *__counted_by(2147483647) p)", .limit, 26, "the buffer is too large"),
        .init("void f(int *__counted_by(2147483648) p)", .limit, 26, "the buffer is too large"),
        .init("void f(int *__counted_by(-1) p)", .syntax, 26, "a length is zero or more"),
        .init("void f(int *__counted_by p)", .syntax, 26, "'p' stands where '(' after '__counted_by' is expected"),
        .init("void f(int *__counted_by(n, int n)", .syntax, 27, "',' stands where ')' after the length is expected"),
        .init("void f(void *__sized_by() p)", .syntax, 25, "')' stands where an integer constant is expected"),
    ]

    @Test(
        arguments:
            aggregates + types + declarators)
    func `P3: a prototype that no call can carry is refused with the reason and the column`(refusal: Refusal) {
        #expect(throws: refusal.error) { try Signature(refusal.text, in: Self.scope) }
    }

    @Test(arguments: words + bytes)
    func `P3: words and signs of other languages are refused with the reason and the column`(refusal: Refusal) {
        #expect(throws: refusal.error) { try Signature(refusal.text, in: Self.scope) }
    }

    @Test(arguments: lengths)
    func `Q3: a length that cannot be followed is refused with the reason and the column`(refusal: Refusal) {
        #expect(throws: refusal.error) { try Signature(refusal.text, in: Self.scope) }
    }

    @Test func `F1: the sentence of an error gives its column first, and the excerpt points at it`() {
        let text = "void f(int a,\n\tthing_t b)"
        let error = #expect(throws: SyntaxError.self) { try Signature(text) }
        #expect(error?.sentence == "column 16: unknown type 'thing_t'; declare it with peal_type_declare")
        #expect(error?.excerpt(of: text) == "\tthing_t b)\n\t^")
        #expect(SyntaxError(.syntax, "", column: 99).excerpt(of: "ab") == "ab\n  ^")
        #expect(SyntaxError(.syntax, "", column: -1).excerpt(of: "") == "\n^")
    }
}

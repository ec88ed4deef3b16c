import Testing

@testable import PealCall

@Suite struct TypeScopeTests {
    @Test(arguments: [
        ("char a; int b; char c;", 12, 4), ("char a; char b; int c;", 8, 4), ("char a[3]; short b;", 6, 2),
        ("long double a; char b;", 32, 16), ("float _Complex a; char b;", 12, 4), ("void *p; char c;", 16, 8),
        ("struct { char a; double b; } n; char c;", 24, 8), ("struct { int x; }; int y;", 8, 4),
        ("int (*f)(int), *p, a[2][3];", 40, 8), ("enum { A, B } e; bool b;", 8, 4), ("char c[65536 / 32];", 2048, 1),
        ("const volatile int x; _Atomic int y;", 8, 4), ("_Bool b; uint64_t u; _Bool c;", 24, 8),
        ("struct s *next; union u *u; FILE *f;", 24, 8), ("char tag['A'];", 65, 1),
        ("long a[sizeof(int) * 2 + 1 << 1];", 144, 8), ("char a['\\x1B' + '\\033' + '\\0'];", 54, 1),
        ("char a[sizeof(long) > 4 ? 3 : 5], b[0 ? 1 : 0 ? 2 : 7];", 10, 1),
        ("char a[(unsigned char)300], b[(int)(char)-1 + 3];", 46, 1),
        ("char a[_Alignof(double)], b[__alignof__(short)];", 10, 1),
        ("char a[(bool)7 + (uint16_t)65537 + (~0u == (unsigned)-1L)];", 3, 1),
        ("char a[-1 < 0u ? 1 : 2], b[((long)-1 ? 1 : 0u) < 2];", 3, 1),
        ("_Float32 a; _Float64 b; _Float32x c; _Float64x d;", 48, 16),
        ("union { char a[5]; short b; } u; char c;", 8, 2),
        ("union { struct { char a; long b; } s; int c[5]; };", 24, 8),
        ("__extension__ union { long double a; char b; } u __attribute__((unused));", 16, 16),
    ])
    func `P3: a declared struct has the layout of the C compiler`(members: String, size: Int, alignment: Int) throws {
        var scope = TypeScope()
        try scope.declare("struct s { \(members) };")
        #expect(try scope.layout(of: "struct s") == Layout(size: size, alignment: alignment))
        #expect(try scope.layout(of: "struct s[3]") == Layout(size: 3 * size, alignment: alignment))
    }

    @Test func `P3: members of a declared struct have the offsets of the C compiler`() throws {
        var scope = TypeScope()
        try scope.declare("struct s { char a; short b; char c[5]; double d; struct { char x; int y; } e; bool f; };")
        guard case .structure(let structure) = try scope.type("struct s"), let body = structure.body else {
            Issue.record("no struct")
            return
        }
        #expect(body.members.map(\.offset) == [0, 2, 4, 16, 24, 32])
        #expect(body.members.map(\.name) == ["a", "b", "c", "d", "e", "f"])
        #expect(
            structure.definition
                == "struct s { char a; short b; char c[5]; double d; struct { char x; int y; } e; bool f; };")
    }

    @Test func `P3: the sizes of scalars are those that Swift imports from C`() throws {
        let scope = TypeScope()
        #expect(try scope.layout(of: "char").size == MemoryLayout<CChar>.size)
        #expect(try scope.layout(of: "short").size == MemoryLayout<CShort>.size)
        #expect(try scope.layout(of: "int").size == MemoryLayout<CInt>.size)
        #expect(try scope.layout(of: "unsigned long").size == MemoryLayout<CUnsignedLong>.size)
        #expect(try scope.layout(of: "long long").size == MemoryLayout<CLongLong>.size)
        #expect(try scope.layout(of: "float").size == MemoryLayout<CFloat>.size)
        #expect(try scope.layout(of: "double").alignment == MemoryLayout<CDouble>.alignment)
        #expect(try scope.layout(of: "bool").size == MemoryLayout<CBool>.size)
        #expect(try scope.layout(of: "wchar_t").size == MemoryLayout<CWideChar>.size)
        #expect(try scope.layout(of: "void *").size == MemoryLayout<UnsafeRawPointer>.size)
        #expect(try scope.layout(of: "int (*[2])(void)").size == 16)
        #expect((try scope.type("char").shape == .int8) == (CChar.min < 0))
    }

    @Test(arguments: [
        ("enum e { A, B };", Scalar.unsignedInt), ("enum e { A = -1, B };", .int),
        ("enum e { A = 4294967295 };", .unsignedInt), ("enum e { A = 4294967296 };", .unsignedLong),
        ("enum e { A = -1, B = 2147483648 };", .long), ("enum e { A = 1 << 31 };", .int),
        ("enum e { A = 1u << 31 };", .unsignedInt), ("enum e { A = ~0 };", .int), ("enum e { A = ~0u };", .unsignedInt),
        ("enum e { A = 0xFFFFFFFFFFFFFFFF };", .unsignedLong), ("enum e : uint8_t { A, B, };", .unsignedChar),
        ("enum e : short;", .short), ("enum e : bool { A, B };", .bool),
        ("enum e { A = 'x' - '\\n', B = A | 0x100, C = (B & ~3) + !0 };", .unsignedInt),
        ("enum e { A = sizeof(struct { int x; } *) };", .unsignedInt),
    ])
    func `P3: an enum has the type that gcc and clang give it`(text: String, underlying: Scalar) throws {
        var scope = TypeScope()
        if text.contains("struct {") {
            #expect(throws: SyntaxError.self) { try scope.declare(text) }
            return
        }
        try scope.declare(text)
        #expect(try scope.type("enum e").scalar == underlying)
    }

    @Test func `P3: enumerators have the values that they have in C`() throws {
        var scope = TypeScope()
        try scope.declare(
            "enum e { A, B = 1 << 4, C, D = B | 3, E = -7 / 2, F = -7 % 3, G = 07 + 0b11, H = 5 > 3 && 0 || 1 };")
        #expect(scope.constants == ["A": 0, "B": 16, "C": 17, "D": 19, "E": -3, "F": -1, "G": 10, "H": 1])
    }

    @Test(arguments: [
        ("typedef uint32_t number_t;", "number_t", "uint32_t"), ("typedef int a_t, *b_t;", "b_t", "int *"),
        ("typedef uint64_t id_t;", "id_t", "unsigned long"), ("typedef int v_t[2][3];", "v_t", "int[2][3]"),
        ("typedef struct node { struct node *next; } node_t;", "node_t", "struct node"),
        ("typedef struct later later_t; struct later { int x; };", "later_t", "struct later"),
        ("typedef int (*f_t)(const void *, ...);", "f_t", "int (*)(const void *, ...)"),
        ("typedef const FILE *n;", "n", "const FILE *"), ("typedef quux_t *a_t, *(*b_t)[2];", "b_t", "quux_t *(*)[2]"),
        ("typedef int (*f_t)(FILE *);", "f_t", "int (*)(FILE *)"),
        ("typedef quux_t *(*g_t)(void);", "g_t", "quux_t *(*)(void)"),
        ("int typedef;", "", ""),
    ])
    func `P3: a typedef is its type by another name`(text: String, name: String, type: String) throws {
        var scope = TypeScope()
        if name.isEmpty {
            #expect(throws: SyntaxError.self) { try scope.declare(text) }
            return
        }
        try scope.declare(text)
        #expect(try scope.type(name) == scope.type(type))
    }

    @Test func `P3: a typedef of a pointer to an unknown type is a pointer, and its target stays unknown`() throws {
        var scope = TypeScope()
        try scope.declare("typedef const FILE *n;")
        #expect(try scope.layout(of: "n") == Layout(size: 8, alignment: 8))
        let signature = try Signature("n f(n stream)", in: scope)
        #expect(signature.description == "n f(n stream)")
        #expect(signature.parameters.map(\.ownership) == [.bare])
        #expect(throws: SyntaxError(.unknownType, "unknown type 'FILE'; declare it with peal_type_declare", column: 8))
        {
            try Signature("void f(FILE stream)", in: scope)
        }
    }

    @Test func `P3: declaring a type again changes nothing, in whatever spelling`() throws {
        var scope = TypeScope()
        let texts = [
            "struct point { double x, y; };", "struct point { double x; double y; }", "struct point;",
            "typedef struct { struct { int a; } n[2]; } s_t;", "enum c { R, G = 3 }", "enum c { R = 0, G = 1 + 2, };",
            "typedef unsigned n_t; typedef unsigned int n_t;", "typedef enum { P, Q } e_t, *ep_t;",
            "typedef uint8_t uint8_t;", "typedef struct { unknown_t *p; } u_t;", "typedef struct unknown unknown_t;",
            "union v; typedef union v v_t;", "enum w : int; enum w : int { W };", "enum w : int;", ";;enum w;",
        ]
        for _ in 0..<2 {
            for text in texts { try scope.declare(text) }
        }
        #expect(scope.tags.count == 4)
        #expect(scope.typedefs.count == 7)
    }

    @Test(arguments: [
        Refusal(
            "struct p { double x; };", .conflict, 8,
            "'struct p' is declared already: the first has 2 members and the second 1"),
        Refusal(
            "struct p { double x; float y; };", .conflict, 8,
            "'struct p' is declared already: member 2 'y' is double in the first and float in the second"),
        Refusal(
            "struct p { double y, x; };", .conflict, 8,
            "'struct p' is declared already: member 1 is 'x' in the first and 'y' in the second"),
        Refusal(
            "struct n { struct { int b; } in; };", .conflict, 8,
            "'struct n' is declared already: member 1 is 'a' in the first and 'b' in the second, in member 1"),
        Refusal("enum p { Z };", .conflict, 6, "'p' is declared as struct, not as enum"),
        Refusal("union p;", .conflict, 7, "'p' is declared as struct, not as union"),
        Refusal("enum e { A, B = 2 };", .conflict, 13, "'B' is 1 already, and here 2"),
        Refusal(
            "enum e { A, B, C };", .conflict, 6,
            "'enum e' is declared already: the first has 2 enumerators and the second 3"),
        Refusal(
            "enum e { B = 1 };", .conflict, 6,
            "'enum e' is declared already: 'A' is 0 in the first, and the second has 'B', 1"),
        Refusal("enum e : int;", .conflict, 8, "'enum e' is declared as unsigned int, and here as int"),
        Refusal(
            "typedef long t;", .conflict, 14, "'t' is declared already: it is int in the first and long in the second"),
        Refusal(
            "typedef int int64_t;", .conflict, 13,
            "'int64_t' is declared already: it is long in the first and int in the second"),
        Refusal(
            "typedef struct { long x; } u;", .conflict, 28,
            "'u' is declared already: it is struct { int x; } in the first and struct { long x; } in the second"),
        Refusal("typedef int A;", .conflict, 13, "'A' is an enumerator already"),
        Refusal("enum f { t };", .conflict, 10, "'t' is a typedef name already"),
    ])
    func `P3: declaring a name differently names the first difference`(refusal: Refusal) throws {
        var scope = TypeScope()
        try scope.declare(
            """
            struct p { double x, y; }; struct n { struct { int a; } in; }; enum e { A, B }; typedef int t;
            typedef struct { int x; } u;
            """)
        #expect(throws: refusal.error) { try scope.declare(refusal.text) }
    }

    static let refusals: [Refusal] = [
        .init(
            "struct s { int a : 3; };", .unsupported, 18, "bit-fields are not supported; use a whole integer and masks"),
        .init(
            "struct s { int : 3; };", .unsupported, 16, "bit-fields are not supported; use a whole integer and masks"),
        .init(
            "struct s { enum e : 3; };", .unsupported, 21, "bit-fields are not supported; use a whole integer and masks"
        ),
        .init(
            "struct s { int n; int a[]; };", .unsupported, 24, "flexible array members are not supported; use a pointer"
        ),
        .init("struct s { int n; int a[0]; };", .unsupported, 25, "an array has one element or more"),
        .init("struct s {};", .unsupported, 10, "an empty struct is not C; give it a member"),
        .init("struct s { int a", .syntax, 17, "the text ends where ';' after a member is expected"),
        .init("struct s { int a;", .syntax, 10, "this '{' is never closed"),
        .init("struct s { int a; int a; };", .syntax, 23, "two members are named 'a'; rename one"),
        .init("struct s { int a; struct { int a; }; };", .syntax, 19, "two members are named 'a'; rename one"),
        .init("struct s { struct { int a; }; int a; };", .syntax, 35, "two members are named 'a'; rename one"),
        .init("struct s { void a; };", .unsupported, 12, "a member cannot be void; use 'void *'"),
        .init("struct s { int f(int); };", .syntax, 17, "a member cannot be a function; use a pointer to it"),
        .init(
            "struct s { struct s s; };", .unknownType, 12,
            "the members of 'struct s' are not known; declare it first with peal_type_declare"),
        .init("struct s { quux a; };", .unknownType, 12, "unknown type 'quux'; declare it with peal_type_declare"),
        .init("struct s { quux; };", .unknownType, 12, "unknown type 'quux'; declare it with peal_type_declare"),
        .init("struct s { int; };", .syntax, 12, "this member has no name"),
        .init("struct s { struct t { int a; }; };", .syntax, 12, "this member has no name"),
        .init(
            "struct s { union u u; };", .unknownType, 12,
            "the members of 'union u' are not known; declare it first with peal_type_declare"),
        .init("union u {};", .unsupported, 9, "an empty union is not C; give it a member"),
        .init(
            "union u { int a; union u b; };", .unknownType, 18,
            "the members of 'union u' are not known; declare it first with peal_type_declare"),
        .init("union u { int a; struct { int a; }; };", .syntax, 18, "two members are named 'a'; rename one"),
        .init(
            "union u { int a : 2; };", .unsupported, 17, "bit-fields are not supported; use a whole integer and masks"),
        .init(
            "struct s { _Atomic float _Complex z; };", .unsupported, 20,
            "'_Atomic' of this type cannot be passed by value; use a pointer"),
        .init(
            "struct s { int *p __counted_by(3); };", .unsupported, 19,
            "'__counted_by' is allowed only at the outermost pointer of a parameter; remove it"),
        .init(
            "struct __attribute__((packed)) s { int a; };", .unsupported, 8,
            "attribute 'packed' is not supported, it may change how the value is passed; remove it"),
        .init(
            "struct s { int a; } __attribute__((packed));", .unsupported, 21,
            "attribute 'packed' is not supported, it may change how the value is passed; remove it"),
        .init(
            "struct s { _Alignas(8) int a; };", .unsupported, 12,
            "'_Alignas' is not supported, it may change how the value is passed; remove it"),
        .init("struct s { static int a; };", .unsupported, 12, "'static' has no meaning for a call; remove it"),
        .init(
            "struct s { char a[65537]; };", .limit, 17,
            "a struct or a union has at most 65536 bytes and 4096 members, arrays counted by element"),
        .init(
            "struct s { long a[4096]; char b; };", .limit, 31,
            "a struct or a union has at most 65536 bytes and 4096 members, arrays counted by element"),
        .init(
            "struct s { char a[1000000000][1000000000][1000000000]; };", .limit, 17,
            "a struct or a union has at most 65536 bytes and 4096 members, arrays counted by element"),
        .init("enum e {};", .syntax, 9, "'}' stands where the name of an enumerator is expected"),
        .init("enum e { A B };", .syntax, 12, "'B' stands where '}' after the enumerators is expected"),
        .init("enum e { A = };", .syntax, 14, "'}' stands where an integer constant is expected"),
        .init("enum e { A = b };", .syntax, 14, "'b' is no enumerator that is declared, so it has no constant value"),
        .init("enum e : uint8_t { A = 256 };", .limit, 22, "256 does not fit unsigned char"),
        .init("enum e : uint8_t { A = 255, B };", .limit, 29, "256 does not fit unsigned char"),
        .init("enum e : double { A };", .syntax, 10, "an enum is carried by an integer type"),
        .init("enum e : quux { A };", .unknownType, 10, "unknown type 'quux'; declare it with peal_type_declare"),
        .init("enum e { A = -1, B = 0xFFFFFFFFFFFFFFFF };", .limit, 1, "no integer type holds all values of this enum"),
        .init(
            "enum e { A = 0xFFFFFFFFFFFFFFFF, B };", .limit, 34, "18446744073709551616 does not fit any integer type"),
        .init(
            "enum e { A = 18446744073709551616 };", .limit, 14, "'18446744073709551616' is too big for any integer type"
        ),
        .init("enum;", .syntax, 5, "';' stands where the name of an enum is expected"),
        .init("struct;", .syntax, 7, "';' stands where the name of a struct is expected"),
        .init("int;", .syntax, 1, "this declares nothing; give it a name"),
        .init("struct { int a; };", .syntax, 1, "this declares nothing; give it a name"),
        .init(
            "int x;", .syntax, 5, "only structs, unions, enums and typedefs are declared; no variable and no function"),
        .init(
            "struct s { int a; } s;", .syntax, 21,
            "only structs, unions, enums and typedefs are declared; no variable and no function"),
        .init(
            "void f(int);", .syntax, 6,
            "only structs, unions, enums and typedefs are declared; no variable and no function"),
        .init("extern int x;", .unsupported, 1, "'extern' has no meaning for a call; remove it"),
        .init("typedef quux x;", .unknownType, 9, "unknown type 'quux'; declare it with peal_type_declare"),
        .init("typedef const FILE n;", .unknownType, 15, "unknown type 'FILE'; declare it with peal_type_declare"),
        .init("typedef FILE *p, n;", .unknownType, 9, "unknown type 'FILE'; declare it with peal_type_declare"),
        .init("typedef FILE n[2];", .unknownType, 9, "unknown type 'FILE'; declare it with peal_type_declare"),
        .init("typedef FILE (*n)[2];", .unknownType, 9, "unknown type 'FILE'; declare it with peal_type_declare"),
        .init("typedef FILE (*n)(void);", .unknownType, 9, "unknown type 'FILE'; declare it with peal_type_declare"),
        .init("typedef FILE *n m;", .unknownType, 9, "unknown type 'FILE'; declare it with peal_type_declare"),
        .init("typedef int;", .syntax, 12, "';' stands where the name of a type is expected"),
        .init("typedef int int;", .syntax, 9, "these words together are no type"),
        .init("typedef int x y;", .syntax, 15, "'y' stands where ';' after a declaration is expected"),
        .init("struct s { int a; }; }", .syntax, 22, "'}' stands where a type is expected"),
        .init(
            "#pragma pack(1)\nstruct s { int a; };", .syntax, 1,
            "preprocessor lines are not read; give the text as the preprocessor leaves it"),
        .init("struct s { int a; }; /*", .syntax, 22, "this comment has no end; close it with '*/'"),
        .init("", .syntax, 1, "the text ends where a declaration of a type is expected"),
        .init("class s { int a; };", .unsupported, 1, "'class' is C++; use a C type"),
        .init(
            "_Static_assert(1, 2);", .unsupported, 1,
            "'_Static_assert' has no place in a declaration of types; remove it"),
    ]

    @Test(arguments: refusals)
    func `P3: a declaration that cannot be carried is refused with the reason and the column`(refusal: Refusal) {
        var scope = TypeScope()
        #expect(throws: refusal.error) { try scope.declare(refusal.text) }
    }

    @Test func `P3: when one part of a text is refused, nothing of the text is declared`() throws {
        var scope = TypeScope()
        #expect(throws: SyntaxError.self) {
            try scope.declare("struct a { int x; }; enum e { A }; typedef int t; struct b { int x : 1; };")
        }
        #expect(scope.tags.isEmpty && scope.typedefs.isEmpty && scope.constants.isEmpty)
        try scope.declare("struct a { long x; };")
    }

    @Test(arguments: [
        Refusal("void", .unsupported, 1, "'void' has no size"),
        Refusal("int(int)", .unsupported, 1, "'int (int)' has no size"),
        Refusal("int[]", .unsupported, 1, "'int []' has no size"),
        Refusal("int x", .syntax, 5, "'x' stands where the end of the type is expected"),
        Refusal(
            "struct s", .unknownType, 1,
            "the members of 'struct s' are not known; declare it first with peal_type_declare"),
        Refusal("quux", .unknownType, 1, "unknown type 'quux'; declare it with peal_type_declare"),
        Refusal("int[9223372036854775807]", .limit, 1, "the array is too large"),
        Refusal("", .syntax, 1, "the text ends where a type is expected"),
    ])
    func `P3: requesting the size of a type without a size is refused`(refusal: Refusal) {
        #expect(throws: refusal.error) { try TypeScope().layout(of: refusal.text) }
    }
}

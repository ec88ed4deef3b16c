import Testing

@testable import PealCall

@Suite struct MethodDeclarationTests {
    @Test func `P2: a method without options is required, called on all observers, since version 1 and recursive`()
        throws
    {
        let method = try MethodDeclaration("void on_message(const char *room, const struct message *m)")
        #expect(method.requirement == .required)
        #expect(method.policy == .all)
        #expect(method.since == 1)
        #expect(method.recursion == .recursive)
        #expect(!method.isBorrowed)
        #expect(MethodDeclaration(.required, method.signature) == method)
    }

    @Test(arguments: [
        (
            "required bool keep (const char *line), first_true, since(2)",
            "required bool keep(const char *line), first_true, since(2)"
        ),
        ("optional void f(void);", "optional void f(void)"),
        ("void f(), all, since(1), recursive", "required void f(void)"),
        ("int f(), last, since(1), recursive", "required int f(void)"), ("int f(), all", "required int f(void), all"),
        ("void f(const char *s), defer", "required void f(const char *s), defer"),
        ("void f(void *p), borrowed , defer", "required void f(void *p), defer, borrowed"),
        ("int f(int a, long b, int c), chain", "required int f(int a, long b, int c), chain(a)"),
        ("int f(int a, long b, int c), chain(c),reject", "required int f(int a, long b, int c), chain(c), reject"),
        ("int f(int), chain", "required int f(int), chain"),
        ("void *f(void), first_nonzero;", "required void *f(void), first_nonzero"),
        ("bool required(int optional)", "required bool required(int optional)"),
    ])
    func `P2: a declaration is printed so that it reads back as itself`(text: String, printed: String) throws {
        let method = try MethodDeclaration(text)
        #expect(method.description == printed)
        #expect(try MethodDeclaration(printed) == method)
    }

    @Test(arguments: [
        ("bool", "first_true any every last collect chain fold first_nonzero all"),
        ("int", "first_true first_nonzero last sum min max any every collect chain fold all"),
        ("uint8_t", "first_true first_nonzero last sum min max any every collect chain fold all"),
        ("enum mode", "first_true first_nonzero last sum min max any every collect chain fold all"),
        ("double", "first_nonzero last sum min max collect chain fold all"),
        ("long double", "first_nonzero last sum min max collect chain fold all"),
        ("double _Complex", "last collect chain fold all"),
        ("const char *", "first_nonzero last collect chain fold all"),
        ("struct point", "last collect chain fold all"),
        ("void", "all"),
    ])
    func `B2: a policy is accepted if it fits the result`(result: String, fitting: String) throws {
        var scope = TypeScope()
        try scope.declare("struct point { double x, y; };")
        let words = fitting.split(separator: " ").map(String.init)
        let parameter = result == "void" ? "int" : result
        for word in MethodDeclaration.Policy.simple.map(\.word) + ["chain"] {
            let text = "\(result) f(\(parameter) x), \(word)"
            if words.contains(word) {
                #expect(try MethodDeclaration(text, in: scope).policy.word == word)
            } else {
                #expect(throws: SyntaxError.self, "\(text)") { try MethodDeclaration(text, in: scope) }
            }
        }
    }

    @Test(arguments: [
        ("int f(long a, int b, int c), chain", 1), ("int f(long a, int b, int c), chain(c)", 2),
        ("const char *f(int n, const char *s), chain", 1), ("int32_t f(const int a), chain(a)", 0),
        ("int f(int n, int *p __counted_by(n), int m), chain", 2),
    ])
    func `B2: the policy chain stores the parameter that takes the result`(text: String, index: Int) throws {
        #expect(try MethodDeclaration(text).policy == .chain(parameter: UInt8(index)))
    }

    @Test(arguments: [
        (
            "void f(), sometimes", 11,
            "'sometimes' is no option; a policy, since(N), recursive, defer, reject, borrowed or sticky can stand here"
        ),
        ("int f(), first_ture", 10, "'first_ture' is no option; did you mean 'first_true'?"),
        ("int f(), sum, sum", 15, "'sum' is given twice; remove one"),
        ("int f(), sum, max", 15, "a method has one policy; 'sum' is given already"),
        ("int f(), since(1), since(2)", 20, "'since' is given twice; remove one"),
        ("int f(), borrowed, borrowed", 20, "'borrowed' is given twice; remove one"),
        ("int f(), defer, reject", 17, "a method has one rule for recursion; 'defer' is given already"),
        ("int f(), defer, defer", 17, "'defer' is given twice; remove one"),
        ("int f(), since(0)", 16, "versions are counted from 1"),
        ("int f(), since(-1)", 16, "'-' stands where the number of a version is expected"),
        ("int f(), since", 15, "the text ends where '(' and a version after 'since' is expected"),
        ("int f(), since()", 16, "')' stands where the number of a version is expected"),
        ("int f(), since(2", 17, "the text ends where ')' after the version is expected"),
        ("int f(), since(4294967296)", 16, "a version is at most 2147483647"),
        ("int f(), sum(x)", 13, "'sum' takes nothing in parentheses"),
        ("int f(int x), chain()", 21, "')' stands where the name of a parameter is expected"),
        ("int f(int x), chain(y)", 21, "no parameter is named 'y'"),
        ("int f(long x), chain(x)", 22, "'chain' puts the result into 'x', but that is long and the result is int"),
        ("int f(long x), chain", 16, "'chain' needs a parameter of the result's type int, without a length"),
        ("void f(int x), chain", 16, "'chain' needs a result, and 'f' gives void"),
        (
            "int f(int n, int *p __counted_by(n)), chain(n)", 45,
            "'n' is a buffer or its length; a result cannot replace one without the other"
        ),
        ("void f(), last", 11, "'last' needs any type but void as result, and 'f' gives void"),
        ("double f(), first_true", 13, "'first_true' needs bool or an integer as result, and 'f' gives double"),
        ("bool f(), sum", 11, "'sum' needs an integer or a real number as result, and 'f' gives bool"),
        (
            "void f(void), first_nonzero", 15,
            "'first_nonzero' needs a real number or a pointer as result, and 'f' gives void"
        ),
        (
            "void f(int a, void *data), defer", 28,
            "'defer' copies the arguments, and the size of what parameter 2 'data' points to is unknown;"
                + " give it a length with __counted_by, register its type, or add 'borrowed'"
        ),
        ("void f(),", 10, "the text ends where an option, as 'first_true' or 'since(2)', is expected"),
        ("void f() all", 10, "'all' stands where ',', ';' or the end is expected"),
        ("void f(); int g();", 11, "one text declares one method; nothing follows its ';'"),
        ("void f();;", 10, "one text declares one method; nothing follows its ';'"),
        ("void f() {}", 10, "a method is declared without a body; end it here"),
        ("required", 9, "the text ends where a type is expected"),
        ("required optional void f()", 10, "unknown type 'optional'; declare it with peal_type_declare"),
    ])
    func `F1: each mistake in the options gives its reason and column`(text: String, column: Int, message: String) {
        let error = #expect(throws: SyntaxError.self) { try MethodDeclaration(text) }
        #expect(error?.message == message)
        #expect(error?.column == column)
    }

    @Test(arguments: [
        "void f(const char *s, int n, const int *__counted_by(n) p, void (*g)(void)), defer",
        "void f(void *p), defer, borrowed", "void f(int), defer",
    ])
    func `B5: the option defer is accepted if all pointers can be copied or are promised to outlive the call`(
        text: String
    ) throws {
        #expect(try MethodDeclaration(text).recursion == .defer)
    }

    @Test(arguments: [
        ("int f()", "optional int f()", "f: it is required in the first and optional in the second"),
        ("int f()", "int f(), sum", "f: its policy is last in the first and sum in the second"),
        ("int f()", "int f(), all", "f: its policy is last in the first and all in the second"),
        (
            "int f(int a, int b), chain(a)", "int f(int a, int b), chain(b)",
            "f: its policy is chain(a) in the first and chain(b) in the second"
        ),
        ("int f()", "int f(), since(2)", "f: it is since version 1 in the first and since version 2 in the second"),
        ("int f()", "int f(), reject", "f: its recursion is recursive in the first and reject in the second"),
        ("int f()", "int f(), borrowed", "f: it is not borrowed in the first and borrowed in the second"),
        ("int f()", "optional long f()", "f: the result is int in the first and long in the second"),
    ])
    func `P1: the first difference between two declarations is named`(first: String, second: String, words: String)
        throws
    {
        #expect(try MethodDeclaration(first).firstDifference(from: MethodDeclaration(second)) == words)
    }
}

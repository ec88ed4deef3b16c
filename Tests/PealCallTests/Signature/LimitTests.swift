import Testing

@testable import PealCall

@Suite struct LimitTests {
    private func error(_ text: String, in scope: TypeScope = TypeScope()) -> SyntaxError? {
        #expect(throws: SyntaxError.self) { try Signature(text, in: scope) }
    }

    private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    @Test func `F1: a text of 16,384 bytes is read, and a longer text is refused`() throws {
        let text = "void f(void)"
        #expect(try Signature(text + repeated(" ", 16_384 - text.utf8.count)).name == "f")
        let error = error(text + repeated(" ", 16_385 - text.utf8.count))
        #expect(error == SyntaxError(.limit, "the text is longer than 16384 bytes", column: 16_385))
    }

    @Test func `F1: 64 parameters are read, and 65 are refused`() throws {
        let list = { (count: Int) in Array(repeating: "int", count: count).joined(separator: ", ") }
        #expect(try Signature("void f(\(list(64)))").parameters.count == 64)
        #expect(
            error("void f(\(list(65)))") == SyntaxError(.limit, "a function has at most 64 parameters", column: 328))
    }

    @Test(arguments: [
        ("void f(int ", "(", "x", ")", 15), ("void f(int ", "*", "x", "", 63),
        ("void f(int x", "[1]", "", "", 63), ("void f(void (*a)(", "void (*)(", "int", ")", 13),
        ("void f(int x[", "(", "1", ")", 14), ("void f(int x[", "!", "1", "", 15),
    ])
    func `F1: declarators nest up to a limit`(start: String, open: String, middle: String, close: String, fits: Int) {
        let text = { (count: Int) in
            start + self.repeated(open, count) + middle + self.repeated(close, count)
                + (start.hasSuffix("[") ? "])" : start.hasSuffix("(") ? "))" : ")")
        }
        #expect(throws: Never.self) { try Signature(text(start.hasSuffix("[") && open == "!" ? fits - 1 : fits)) }
        #expect(error(text(100))?.kind == .limit)
        #expect(error(text(1_500))?.kind == .limit)
    }

    @Test func `F1: structs nest up to a limit, also over several declarations`() {
        var scope = TypeScope()
        let text = { (count: Int) in
            "struct s { \(self.repeated("struct { ", count)) int x; \(self.repeated("} m; ", count)) };"
        }
        #expect(throws: Never.self) { try scope.declare(text(15)) }
        var other = TypeScope()
        #expect(throws: SyntaxError.self) { try other.declare(text(40)) }

        #expect(throws: SyntaxError(.limit, "types nest at most 64 deep", column: 25)) {
            try scope.declare("struct t0 { int x; };")
            for index in 1..<100 {
                try scope.declare("struct t\(index) { struct t\(index - 1) m; };")
            }
        }
    }

    @Test func `P3: types that refer to each other by pointers have no limit of depth`() throws {
        var scope = TypeScope()
        try scope.declare("typedef struct { int x; } t0; typedef union { int x; } u0;")
        for index in 1..<5_000 {
            try scope.declare("typedef struct { t\(index - 1) *next; u\(index - 1) *other; } t\(index);")
            try scope.declare("typedef union { const t\(index) *next; } u\(index);")
        }
        #expect(try scope.layout(of: "t4999").size == 16)
        #expect(
            try Signature("void f(t4999 a, t4998 *__counted_by(n) b, int n)", in: scope).parameters[1].ownership
                == .counted(by: .parameter(2), elementSize: 16, allowsNull: false))
    }

    @Test func `P3: declarations may have a mebibyte, and an enumeration in them thousands of names`() throws {
        var scope = TypeScope()
        let names = (0..<20_000).map { "LONG_ENUMERATOR_\($0)" }.joined(separator: ", ")
        try scope.declare("enum long_one { \(names) };")
        #expect(try scope.layout(of: "char[LONG_ENUMERATOR_19999]").size == 19_999)
        let error = #expect(throws: SyntaxError.self) { try scope.declare(repeated(" ", 1 << 20) + "struct s;") }
        #expect(error?.kind == .limit)
    }

    @Test func `F1: typedefs of typedefs, and function types that double, end at a limit`() {
        var scope = TypeScope()
        #expect(throws: SyntaxError(.limit, "types nest at most 64 deep", column: 13)) {
            try scope.declare("typedef int t0;")
            for index in 1..<100 { try scope.declare("typedef t\(index - 1) t\(index);") }
        }
        #expect(throws: SyntaxError(.limit, "a type has at most 16384 parts once its typedefs are followed", column: 9))
        {
            try scope.declare("typedef int f0;")
            for index in 1..<100 {
                let inner = "f\(index - 1)"
                try scope.declare("typedef \(inner) (*f\(index))(\(repeated("\(inner), ", 31))\(inner));")
            }
        }
    }

    @Test func `F1: a struct has at most 65,536 bytes and 4,096 members`() throws {
        var scope = TypeScope()
        try scope.declare("struct a { long double x[4096]; }; struct b { char x[64][64]; };")
        #expect(try scope.layout(of: "struct a").size == 65_536)
        for text in [
            "struct c { struct a a; char b; };", "struct c { struct b b[2]; };", "struct c { char x[65][64]; };",
        ] {
            let error = #expect(throws: SyntaxError.self) { try scope.declare(text) }
            #expect(error?.kind == .limit)
        }
    }

    @Test func `F1: any byte and any prefix of a text gives a result or an error`() {
        let text =
            "required const char *(*f(int a[3], struct s *__counted_by(n) p, void (*g)(int, ...), size_t n))(int), chain(p), since(2);"
        let bytes = Array(text.utf8)
        for end in 0...bytes.count {
            _ = try? MethodDeclaration(String(decoding: bytes[..<end], as: UTF8.self))
            _ = try? MethodDeclaration(String(decoding: bytes[end...], as: UTF8.self))
        }
        for byte in UInt8.min...UInt8.max {
            _ = try? MethodDeclaration(String(decoding: [byte], as: UTF8.self))
            _ = try? Signature(objCName: "f", encoding: String(decoding: [byte], as: UTF8.self))
        }
    }
}

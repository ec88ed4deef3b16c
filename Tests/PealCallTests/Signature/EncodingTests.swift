import Testing

@testable import PealCall

@Suite struct EncodingTests {
    @Test(arguments: [
        ("didReceive:from:", "v@:@@", "void didReceive_from_(struct objc_object *, struct objc_object *)"),
        ("for", "v@:", "void for_(void)"), ("count", "Q16@0:8", "unsigned long long count(void)"),
        ("f:", "v24@0:8@16", "void f_(struct objc_object *)"), ("f:", "i12@+0:+4@-8", "int f_(struct objc_object *)"),
        ("f:::", "B@:cCs", "bool f___(signed char, unsigned char, short)"),
        ("f:", "S@:i", "unsigned short f_(int)"), ("f:", "I@:l", "unsigned int f_(int)"),
        ("f:", "L@:q", "unsigned int f_(long long)"), ("f:", "f@:d", "float f_(double)"),
        ("f:", "D@:B", "long double f_(bool)"),
        ("f:", "*@:*", "char *f_(char *)"), ("f:", "v@:r*", "void f_(const char *)"),
        ("f:", "#@::", "struct objc_class *f_(struct objc_selector *)"),
        ("f:g:", "v@:@\"NSString\"@?", "void f_g_(struct objc_object *, struct objc_object *)"),
        ("f:", "v@:@?<v@?@\"NSString\"<>>", "void f_(struct objc_object *)"),
        ("f:", "v@:^v", "void f_(void *)"), ("f:", "v@:r^v", "void f_(const void *)"),
        ("f:", "v@:^rv", "void f_(const void *)"),
        ("f:", "v@:^^i", "void f_(int **)"), ("f:", "v@:^?", "void f_(void (*)(void))"),
        ("f:", "v@:^*", "void f_(char **)"),
        ("f:", "v@:^{point=dd}", "void f_(struct point *)"), ("f:", "v@:^{point}", "void f_(struct point *)"),
        ("f:", "v@:^{?=dd}", "void f_(void *)"), ("f:", "v@:^(value=id)", "void f_(union value *)"),
        ("f:", "v@:^{flags=b3b5(?=id)}", "void f_(struct flags *)"), ("f:", "v@:^[4i]", "void f_(int (*)[4])"),
        ("f:", "v@:[4i]", "void f_(int *__counted_by_or_null(4))"),
        ("f:", "jf@:jd", "float _Complex f_(double _Complex)"), ("f:", "jD@:Ai", "long double _Complex f_(int)"),
        ("f:", "v@:nN^i", "void f_(int *)"), ("f:", "Vv@:oO@", "void f_(struct objc_object *)"),
        ("f:", "v@:^Ai", "void f_(_Atomic int *)"), ("f:", "R@@:i", "struct objc_object *f_(int)"),
    ])
    func `P5: an encoding is read as the C prototype that it denotes`(
        selector: String, encoding: String, printed: String
    ) throws {
        let signature = try Signature(objCName: selector, encoding: encoding)
        #expect(signature.name == selector)
        #expect(signature.description == printed)
        let reread = try Signature(printed)
        #expect(reread.result == signature.result)
        #expect(reread.parameters.map(\.type) == signature.parameters.map(\.type))
        // Only `const char *` is a string in C.
        #expect(
            reread.parameters.map(\.ownership)
                == signature.parameters.map { $0.type == Self.plainString ? .bare : $0.ownership })
        #expect(signature.firstDifference(from: reread, asFunctions: true) == nil)
        #expect(signature.parameters.allSatisfy { $0.name == nil })
    }

    static let plainString = CType.pointer(to: QualifiedType(.scalar(.char)))

    @Test(arguments: [
        ("*", "char *", Ownership.string), ("r*", "const char *", .string), ("n*", "char *", .string),
        ("^c", "signed char *", .bare), ("r^c", "const signed char *", .bare), ("^C", "unsigned char *", .bare),
        ("^*", "char **", .bare), ("^r*", "const char **", .bare), ("^v", "void *", .bare),
        ("[2*]", "char **", .counted(by: .constant(2), elementSize: 8, allowsNull: true)),
    ])
    func `P5: '*' in an encoding is a string, constant or not`(letters: String, type: String, ownership: Ownership)
        throws
    {
        let signature = try Signature(objCName: "f:", encoding: "v@:" + letters)
        #expect(signature.parameters.map(\.type) == [try TypeScope().type(type)])
        #expect(signature.parameters.map(\.ownership) == [ownership])
    }

    @Test func `P5: a struct in an encoding is the struct of that name in C`() throws {
        var scope = TypeScope()
        try scope.declare("struct CGPoint { double x, y; }; struct CGRect { struct CGPoint o; float s[2]; };")
        let signature = try Signature(objCName: "f:", encoding: "{CGPoint=dd}@:{CGRect={CGPoint=\"x\"d\"y\"d}[2f]}")
        let prototype = try Signature("struct CGPoint f(struct CGRect r)", in: scope)
        #expect(signature.result == prototype.result)
        #expect(signature.parameters == prototype.parameters)
        #expect(signature.parameters[0].shape == prototype.parameters[0].shape)
    }

    @Test func `P5: a struct without a name in an encoding has a shape`() throws {
        let signature = try Signature(objCName: "f:", encoding: "v@:{?=i[2{?=cd}]}")
        let inner = ValueShape.structure([.int8, .double])
        #expect(signature.parameters[0].shape == .structure([.int32, inner, inner]))
        #expect(signature.parameters[0].type.layout == Layout(size: 40, alignment: 8))
    }

    static let refusals: [Refusal] = [
        .init("", .syntax, 1, "the encoding ends where the letter of a type is expected"),
        .init("v", .syntax, 2, "the encoding ends where '@' for the object, after the result, is expected"),
        .init("vi:", .syntax, 2, "'i' stands where '@' for the object, after the result, is expected"),
        .init("v@", .syntax, 3, "the encoding ends where ':' for the selector, after '@', is expected"),
        .init("v@@:", .syntax, 3, "'@' stands where ':' for the selector, after '@', is expected"),
        .init("v@:", .syntax, 4, "'f:' takes as many arguments as it has colons, 1, and the encoding has 0"),
        .init("v@:ii", .syntax, 6, "'f:' takes as many arguments as it has colons, 1, and the encoding has 2"),
        .init("v@:v", .unsupported, 4, "a parameter cannot be void"),
        .init("v@:x", .syntax, 4, "'x' stands where the letter of a type is expected"),
        .init("v@:\u{E9}", .syntax, 4, "byte 195 stands where the letter of a type is expected"),
        .init("v@:(value)", .unknownType, 4, "the members of 'value' are not in the encoding; pass a pointer to it"),
        .init("v@:(value=id", .syntax, 4, "this '(' is never closed"),
        .init("v@:b3", .unsupported, 4, "bit-fields are not supported; use a whole integer"),
        .init("v@:{s=ib3}", .unsupported, 8, "bit-fields are not supported; use a whole integer"),
        .init("v@:t", .unsupported, 4, "128-bit integers are not supported; use a pointer"),
        .init("v@:?", .unsupported, 4, "'?' is a type that the compiler has not encoded"),
        .init("v@:![16,16i]", .unsupported, 4, "vectors are not supported; use a pointer"),
        .init("v@:ji", .syntax, 5, "'i' stands where 'f', 'd' or 'D' after 'j' is expected"),
        .init("v@:{s=i", .syntax, 4, "this '{' is never closed"),
        .init("v@:{s}", .unknownType, 4, "the members of 's' are not in the encoding; pass a pointer to it"),
        .init("v@:{s=}", .unknownType, 4, "the members of 's' are not in the encoding; pass a pointer to it"),
        .init("v@:{=i}", .syntax, 5, "'=' stands where the name of a struct, or '?', is expected"),
        .init("v@:{int=i}", .syntax, 5, "'int' is a word of C and cannot name a struct"),
        .init("v@:{s=v}", .unsupported, 7, "a member cannot be void"),
        .init("v@:{s=\"a\"i\"a\"i}", .syntax, 11, "two members are named 'a'"),
        .init("v@:{s=\"1\"i}", .syntax, 7, "a member's name is a C name"),
        .init("v@:{s=\"ai}", .syntax, 7, "this '\"' is never closed"),
        .init(
            "v@:{s=[5000c]}", .limit, 7,
            "a struct or a union has at most 65536 bytes and 4096 members, arrays counted by element"),
        .init("v@:{s=[0i]}", .unsupported, 7, "flexible array members are not supported; use a pointer"),
        .init("v@:[i]", .syntax, 5, "'i' stands where the length of an array is expected"),
        .init("v@:[4i", .syntax, 7, "the encoding ends where ']' after the type of an array is expected"),
        .init("v@:[99999999999999999999i]", .limit, 5, "the array is too large"),
        .init("v@:[2000000000[2000000000[2000000000i]]]", .limit, 4, "the array is too large"),
        .init("[4i]@:", .syntax, 1, "a method cannot return an array"),
        .init("v@:@?<v@?", .syntax, 6, "this '<' is never closed"),
        .init("v@:@\"NSString", .syntax, 5, "this '\"' is never closed"),
        .init("v@:A{s=i}", .unsupported, 5, "an atomic struct cannot be passed by value"),
    ]

    @Test(arguments: refusals)
    func `P5: a type that an encoding cannot carry is refused with the reason and the column`(refusal: Refusal) {
        #expect(throws: refusal.error) { try Signature(objCName: "f:", encoding: refusal.text) }
    }

    @Test(arguments: ["", ":", "f:g", "1:", "f g:", "f:2:", "ö"])
    func `P5: a text that is no selector is refused`(selector: String) {
        let message = "'\(selector)' is no selector; write names and colons, as 'didReceive:from:'"
        #expect(throws: SyntaxError(.syntax, message, column: 1)) {
            try Signature(objCName: selector, encoding: "v@:")
        }
    }

    @Test func `F1: an encoding has limits of length, parameters and nesting`() {
        let repeated = { (text: String, count: Int) in String(repeating: text, count: count) }
        let texts = [
            (repeated(":", 1), "v@:" + repeated("^", 100) + "i"), ("", "v@:" + repeated("{s=", 5_000)),
            (repeated(":", 65), "v@:" + repeated("i", 65)), (":", "v@:" + repeated("[1", 5_000)),
            ("", repeated(" ", 20_000)),
            (repeated(":", 20_000), "v@:"),
        ]
        for (colons, text) in texts {
            let error = #expect(throws: SyntaxError.self) { try Signature(objCName: "f" + colons, encoding: text) }
            #expect(error?.kind == .limit)
        }
    }
}

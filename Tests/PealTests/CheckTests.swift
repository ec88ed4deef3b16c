import CPeal
import Peal
import Testing

/// A protocol that C has defined by its list macro, as Swift declares it.
private enum Shop: PealProtocol {
    static let name = "Shop"
    static let price = Method<Double, String, Int32>("price", policy: .sum)
    static let count = Method<Void, Int>("count")
    static let color = Method<Void, UInt32>("color")
    static let room = Method<Void, Int64>("room")
    static let bytes = Method<Void, UnsafeRawPointer?, UnsafeMutablePointer<CChar>?>("bytes")
    static let methods: [any MethodDeclaration] = [price, count, color, room, bytes]
}

private enum WrongShop: PealProtocol {
    static let name = "Shop"
    static let price = Method<Double, String, Int64>("price", policy: .sum)
    static let count = Method<Void, Double>("count")
    static let color = Method<Void, UInt32, UInt32>("color")
    static let room = Method<Int32, Int64>("room", policy: .last)
    static let bytes = Method<Void, UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?>("bytes")
    static let methods: [any MethodDeclaration] = [price, count, color, room, bytes]
}

private enum AnyShop: PealProtocol {
    static let name = "Shop"
    static let price = Method<Each<Double>, String, Int32>("price")
    static let methods: [any MethodDeclaration] = [price]
}

private enum OtherPolicy: PealProtocol {
    static let name = "Shop"
    static let price = Method<Double, String, Int32>("price", policy: .max)
    static let methods: [any MethodDeclaration] = [price]
}

/// Methods whose types C and Swift spell differently.
private enum Spellings: PealProtocol {
    static let name = "Spellings"
    static let sizes = Method<Void, [Int]>("sizes", parameters: "values")
    static let numbers = Method<Void, [Int32]>("numbers", parameters: "values")
    static let number = Method<Void, Int32?>("number", parameters: "value")
    static let pointer = Method<Void, UnsafePointer<Int32>?>("pointer", parameters: "value")
    static let out = Method<Void, UnsafeMutablePointer<Int32>?>("out", parameters: "value")
    static let colors = Method<Void, [UInt32]>("colors", parameters: "values")
    static let bytes = Method<Void, [Int8]>("bytes", parameters: "values")
    static let raw = Method<Void, [UInt8]>("raw", parameters: "values")
    static let list = Method<Void, UnsafePointer<UnsafePointer<Int32>?>?>("list", parameters: "value")
    static let places = Method<Void, [Place]>("places", parameters: "values")
    static let text = Method<Void, String>("text", parameters: "value")
    static let id = Method<Int32, Place>("id", parameters: "value", policy: .last)
    static let methods: [any MethodDeclaration] = [
        sizes, numbers, number, pointer, out, colors, bytes, raw, list, places, text, id,
    ]

    struct Place: PealStruct {
        var x, y: Int32
        static let structure = Structure<Place>("place", .member("x", \.x), .member("y", \.y))
    }

    /// Finds each method in a center, and compares it.
    static let checks: [String: @Sendable (Center) throws -> Void] = [
        "sizes": { _ = try $0.method(sizes) }, "numbers": { _ = try $0.method(numbers) },
        "number": { _ = try $0.method(number) }, "pointer": { _ = try $0.method(pointer) },
        "out": { _ = try $0.method(out) }, "colors": { _ = try $0.method(colors) },
        "bytes": { _ = try $0.method(bytes) }, "raw": { _ = try $0.method(raw) },
        "list": { _ = try $0.method(list) }, "places": { _ = try $0.method(places) },
        "text": { _ = try $0.method(text) }, "id": { _ = try $0.method(id) },
    ]
}

/// The types that the texts of `Spellings` in C use.
private let spelledTypes = """
    typedef int number; typedef const int constant; typedef const int *place_of_constant;
    typedef number numeral; enum color { RED, GREEN }; typedef enum { ON, OFF } toggle;
    struct place { int x; int y; }; typedef struct place spot; typedef struct { int x, y; } other;
    typedef const char *words;
    """

private let shopInC = [
    "required double price(const char *name, int number), sum",
    "optional void count(size_t n)",
    "optional void color(enum color c)",
    "optional void room(room_id r)",
    "optional void bytes(const struct blob *b, char *out)",
]

private func shop() throws -> Center {
    let center = try Center()
    #expect(peal_type_declare(center.handle, "enum color { RED, GREEN }; typedef long room_id;") == PEAL_OK)
    try center.defineInC("Shop", shopInC)
    return center
}

@Suite struct CheckTests {
    @Test func `P1: a protocol that C has defined is used as Swift declares it`() throws {
        let center = try shop()
        try center.define(Shop.self)
        let observation = try center.observe(Shop.self) { $0.on(Shop.price) { name, number in Double(number) * 2 } }
        let other = try center.observe(Shop.price) { _, _ in 1 }
        #expect(try center.ask(Shop.price, "vase", 4) == 9)
        // Swift may declare the method with each observer's result, whatever policy the C definition has.
        #expect(try center.collect(AnyShop.price, "vase", 4) == [8, 1])
        withExtendedLifetime((observation, other)) {}
    }

    @Test(arguments: [
        (
            WrongShop.price as any MethodDeclaration,
            "method Shop.price: parameter 2 'number' is int, and Swift declares Int64, which is int64_t"
        ),
        (WrongShop.count, "method Shop.count: parameter 1 'n' is size_t, and Swift declares Double, which is double"),
        (WrongShop.color, "method Shop.color: it has 1 parameters, and Swift declares 2"),
        (WrongShop.room, "method Shop.room: its result is void, and Swift declares Int32, which is int32_t"),
        (WrongShop.bytes, "method Shop.bytes: parameter 1 'b' is const struct blob *"),
    ])
    func `a difference between the declarations of C and Swift is named`(
        method: any MethodDeclaration, sentence: String
    ) throws {
        let center = try shop()
        let error = #expect(throws: PealError.self) { try center.resolveForTest(method) }
        #expect(error?.status == .conflict)
        #expect(error?.message.hasPrefix(sentence) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        "void sizes(const size_t *__counted_by(n) values, size_t n)",
        "void sizes(const ptrdiff_t *__counted_by(n) values, size_t n)",
        "void numbers(const number *__counted_by(n) values, size_t n)",
        "void numbers(const numeral *__counted_by(n) values, size_t n)",
        "void numbers(const enum color *__counted_by(n) values, size_t n)",
        "void number(const number *__counted_by_or_null(1) value)",
        "void number(const enum color *__counted_by_or_null(1) value)",
        "void pointer(const number *value)",
        "void pointer(constant *value)",
        "void pointer(place_of_constant value)",
        "void pointer(const void *value)",
        "void out(number *value)",
        "void colors(const enum color *__counted_by(n) values, size_t n)",
        "void colors(const toggle *__counted_by(n) values, size_t n)",
        "void colors(const unsigned *__counted_by(n) values, size_t n)",
        "void bytes(const char *__counted_by(n) values, size_t n)",
        "void bytes(const int8_t *__counted_by(n) values, size_t n)",
        "void raw(const unsigned char *__counted_by(n) values, size_t n)",
        "void list(const number *const *value)",
        "void list(place_of_constant const *value)",
        "void places(const spot *__counted_by(n) values, size_t n)",
        "void text(words value)",
        "number id(spot value), last",
        "enum color id(struct place value), last",
    ])
    func `a type that C spells otherwise than Swift is no conflict`(prototype: String) throws {
        try check(prototype)
    }

    @Test(arguments: [
        "void sizes(const int *__counted_by(n) values, size_t n)",
        "void sizes(const double *__counted_by(n) values, size_t n)",
        "void numbers(const unsigned *__counted_by(n) values, size_t n)",
        "void numbers(const float *__counted_by(n) values, size_t n)",
        "void numbers(const struct place *__counted_by(n) values, size_t n)",
        "void pointer(number *value)",
        "void pointer(const short *value)",
        "void pointer(const number *const *value)",
        "void out(constant *value)",
        "void out(const number *value)",
        "void colors(const number *__counted_by(n) values, size_t n)",
        "void raw(const bool *__counted_by(n) values, size_t n)",
        "void list(const number **value)",
        "void list(number *const *value)",
        "void places(const other *__counted_by(n) values, size_t n)",
        "void text(const int8_t *value)",
        "void text(const unsigned char *value)",
        "void text(char *value)",
        "number id(other value), last",
        "unsigned id(spot value), last",
    ])
    func `another type of the same size is a conflict`(prototype: String) throws {
        let error = #expect(throws: PealError.self) { try check(prototype) }
        #expect(error?.status == .conflict, "\(error?.message ?? "")")
    }

    /// Defines one method of `Spellings` in C, and compares it.
    private func check(_ prototype: String) throws {
        let center = try Center()
        try #require(peal_type_declare(center.handle, spelledTypes) == PEAL_OK)
        try center.defineInC(Spellings.name, ["optional \(prototype)"])
        let name = prototype.prefix { $0 != "(" }.split { $0 == " " || $0 == "*" }.last.map(String.init)
        let check = try #require(Spellings.checks[name ?? ""])
        try check(center)
    }

    @Test func `a difference between the policies of C and Swift is named`() throws {
        let center = try shop()
        let error = #expect(throws: PealError.self) { try center.define(OtherPolicy.self) }
        #expect(error?.message == "method Shop.price: its policy is sum, and Swift declares max")
    }

    @Test func `C finds the protocol that Swift defined`() throws {
        let center = try Center()
        try center.define(Chat.self)
        let texts = try center.methods(of: "Chat").map(\.declaration)
        #expect(texts.first == "optional void on_message(const char *room, int32_t count)")
        try center.defineInC("Chat", texts)
    }
}

extension Center {
    fileprivate func resolveForTest(_ method: any MethodDeclaration) throws(PealError) {
        switch method {
        case let method as PealMethod<WrongShop, Double, String, Int64>: _ = try self.method(method)
        case let method as PealMethod<WrongShop, Void, Double>: _ = try self.method(method)
        case let method as PealMethod<WrongShop, Void, UInt32, UInt32>: _ = try self.method(method)
        case let method as PealMethod<WrongShop, Int32, Int64>: _ = try self.method(method)
        case let method as PealMethod<WrongShop, Void, UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?>:
            _ = try self.method(method)
        default: Issue.record("an unexpected method")
        }
    }
}

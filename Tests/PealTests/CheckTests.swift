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

import PealCall
import Testing

@testable import PealCore

@Suite struct DefineTests {
    private func define(_ center: Center, _ name: String, adopts: [String] = [], _ methods: String...) throws(Failure)
        -> (proto: PealProtocol, methods: [Method])
    {
        try center.define(
            ProtocolDescription(name: name, adopts: adopts, methods: methods.map(ProtocolDescription.MethodSource.text))
        )
    }

    private func kind(_ body: () throws(Failure) -> Void) -> Failure.Kind? {
        do throws(Failure) {
            try body()
            return nil
        } catch {
            return error.kind
        }
    }

    @Test func `P4: a protocol that is adopted through two others counts once`() throws {
        let center = try Center.make()
        defer { try? center.end() }
        _ = try define(center, "Base", "void opened(void)")
        _ = try define(center, "Left", adopts: ["Base"], "void left(void)")
        _ = try define(center, "Right", adopts: ["Base"], "void right(void)")
        let (bottom, _) = try define(center, "Bottom", adopts: ["Left", "Right"], "void bottom(void)")
        #expect(
            try bottom.methods().map(\.title).sorted() == ["Base.opened", "Bottom.bottom", "Left.left", "Right.right"])
    }

    @Test func `P6: a protocol that grows gives its new method to all protocols that adopt it`() throws {
        let center = try Center.make()
        defer { try? center.end() }
        _ = try define(center, "Base", "void opened(void)")
        let (heir, _) = try define(center, "Heir", adopts: ["Base"])
        _ = try define(center, "Base", "void opened(void)", "optional void shut(void), since(2)")
        #expect(try heir.method(named: "shut").origin.name == "Base")
        #expect(try center.findProtocol("Base").version() == 2)
    }

    @Test func `P1: a failed definition defines nothing`() throws {
        let center = try Center.make()
        defer { try? center.end() }
        _ = try define(center, "Base", "void opened(void)")
        #expect(
            kind { () throws(Failure) in _ = try define(center, "Late", adopts: ["Base", "Missing"], "void f(void)") }
                == .notFound)
        #expect(kind { () throws(Failure) in _ = try center.findProtocol("Late") } == .notFound)
        #expect(
            kind { () throws(Failure) in _ = try define(center, "Bad", "void f(void)", "void f(int)") } == .conflict)
        #expect(kind { () throws(Failure) in _ = try define(center, "Bad", "void f(struct unknown s)") } == .type)
        _ = try define(center, "Bad", "void f(void)")
    }

    @Test func `P4: a name that two adopted protocols have needs the protocol in front`() throws {
        let center = try Center.make()
        defer { try? center.end() }
        _ = try define(center, "A", "void run(void)")
        _ = try define(center, "B", "void run(int speed)")
        let (both, _) = try define(center, "Both", adopts: ["A", "B"])
        #expect(kind { () throws(Failure) in _ = try both.method(named: "run") } == .ambiguous)
        #expect(try both.method(named: "B.run").declaration.signature.parameters.count == 1)
    }
}

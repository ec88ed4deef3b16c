import CPeal
import Testing

@testable import Peal

/// Errors, whose sentences use the names of the Swift interface.
@Suite struct FailureTests {
    let center: Center

    init() throws { center = try Center() }

    @Test func `a status has the name of its constant`() {
        #expect(Status.notFound.description == "notFound")
        #expect(Status.wouldDeadlock.description == "wouldDeadlock")
        #expect(Status.ok.description == "ok")
        #expect(Status.notWaited.description == "notWaited")
        #expect(Status.notFound.nameInC == "PEAL_ERROR_NOT_FOUND")
        #expect(Status(rawValue: -500).description == "status -500")
        // Each failure of the C interface has a constant in Swift.
        for number in Int32(1)... {
            let status = Status(rawValue: -number)
            guard status.nameInC.hasPrefix("PEAL_ERROR_") else { break }
            #expect(status.description != status.nameInC, "\(status.nameInC)")
        }
    }

    @Test func `errors of calls use no names of the C interface`() throws {
        let ended = Center(borrowing: peal_center())
        let stale = BoundMethod<Void>(
            ResolvedMethod(method: peal_method(), protocol: peal_protocol(), policy: PEAL_POLICY_ALL),
            needsNoEncoding: true)
        let failures = [
            pealError { try center.method("on_close", of: "Nothing") },
            pealError { try stale.broadcast() },
            pealError { try ended.define(Chat.self) },
            pealError { try Property<Int32>(existing: "nothing", in: center) },
            pealError { try center.observe(Chat.onClose, .queue(peal_queue(id: 5))) {} },
            pealError { try center.register(Center.self) { _ in try Center() }.with { _ = try $0.get(String.self) } },
        ]
        for failure in failures {
            let failure = try #require(failure)
            #expect(!failure.description.contains("peal_") && !failure.description.contains("PEAL_"), "\(failure)")
        }
    }

    @Test func `sentences of the C interface are translated`() {
        #expect(
            SwiftWords.sentence("there is no protocol Chat in this center; define it first, with peal_protocol_define")
                == "there is no protocol Chat in this center; define it first, with Center.define(_:)")
        #expect(SwiftWords.sentence("price is a text; read it with peal_property_get_text") == "price is a text")
        // A remedy that differs in Swift.
        #expect(
            SwiftWords.sentence(
                "Chat.on_data: data is a bare pointer, which cannot be retained; give it a length, register its type with "
                    + "peal_type_set_object or peal_type_set_copy, or declare the method borrowed")
                == "Chat.on_data: data is a bare pointer, which cannot be retained; pass an array or an object, or declare "
                + "the method with isBorrowed")
        #expect(
            SwiftWords.sentence(
                "parameter data is a bare pointer; declare its length (__counted_by), register its type, or "
                    + "promise with `borrowed` or PEAL_OBSERVE_BORROWED that it outlives the delivery")
                == "parameter data is a bare pointer; pass an array or an object, or promise with isBorrowed or .borrowing "
                + "that it outlives the delivery")
        #expect(SwiftWords.sentence("no service archive; register it first") == "no service archive; register it first")
    }

    @Test func `a missing dependency of a Swift service is its own failure`() throws {
        let service = try center.register(Status.self, named: "status", dependencies: ["PealSwiftInstance"]) { _ in .ok
        }
        #expect(pealError { try service.with { _ in } }?.status == .notFound)
        #expect(pealError { try service.get() }?.message.contains("was not made in Swift") == false)
    }
}

import CPealSupport
import PealCall
import Testing

@testable import PealCore

/// The counts of a test's hooks. Tests of this suite run one at a time.
private nonisolated(unsafe) var retained = 0
private nonisolated(unsafe) var released = 0
private nonisolated(unsafe) var copied = 0
private nonisolated(unsafe) var destroyed = 0
private nonisolated(unsafe) var copiesLeft = Int.max

private let retain: TypeHooks.Retain = { _ in retained += 1 }
private let release: TypeHooks.Release = { _ in released += 1 }
private let copy: TypeHooks.Copy = { value in
    guard copiesLeft > 0 else { return nil }
    copiesLeft -= 1
    copied += 1
    let own = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    own.pointee = value?.load(as: Int.self) ?? 0
    return UnsafeMutableRawPointer(own)
}
private let destroy: TypeHooks.Release = { value in
    destroyed += 1
    value?.deallocate()
}

@Suite(.serialized) struct CopyPlanTests {
    init() {
        (retained, released, copied, destroyed, copiesLeft) = (0, 0, 0, 0, .max)
    }

    private func scope() throws -> TypeScope {
        var scope = TypeScope()
        let object = try TypeHooks.object(retain: retain, release: release)
        let structure = try TypeHooks.structure(copy: copy, destroy: destroy)
        if try scope.manage("struct widget", by: object) { object.register() }
        if try scope.manage("struct message", by: structure) { structure.register() }
        return scope
    }

    private func plan(_ text: String) throws -> CopyPlan.Pointer {
        let declaration = try MethodDeclaration(text, in: try scope())
        return try CopyPlanCache.plan(for: declaration, declaration.signature.callShape.parameters)
    }

    /// Memory for one capture, and the pointers into it.
    private final class Block {
        let memory: UnsafeMutableRawPointer
        let slots = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 64)

        init(size: Int) {
            memory = .allocate(byteCount: max(size, 1), alignment: CopyPlan.alignment)
        }

        func value<Value>(_ index: Int, as type: Value.Type) -> Value {
            slots[index].unsafelyUnwrapped.load(as: type)
        }

        deinit {
            memory.deallocate()
            slots.deallocate()
        }
    }

    private func capture(_ plan: CopyPlan.Pointer, _ arguments: [UnsafeMutableRawPointer?]) throws -> Block {
        let block = Block(size: plan.size(of: arguments))
        try plan.capture(arguments, into: block.memory)
        plan.pointers(of: block.memory, into: block.slots)
        return block
    }

    @Test func `Q3: captured values have their natural alignment, and need no other memory`() throws {
        let plan = try plan("void f(char a, double b, short c, void *p, char d), borrowed")
        #expect(plan.pointee.hasNoPointers)
        #expect(plan.pointee.fixedSize == 33)
        #expect(plan.size(of: nil) == 33)
        var (a, b, c, p, d) = (Int8(-1), 2.5, Int16(3), UInt(0x1234), Int8(4))
        try withUnsafeMutablePointer(to: &a) { a in
            try withUnsafeMutablePointer(to: &b) { b in
                try withUnsafeMutablePointer(to: &c) { c in
                    try withUnsafeMutablePointer(to: &p) { p in
                        try withUnsafeMutablePointer(to: &d) { d in
                            let block = try capture(plan, [.init(a), .init(b), .init(c), .init(p), .init(d)])
                            #expect(block.value(0, as: Int8.self) == -1)
                            #expect(block.value(1, as: Double.self) == 2.5)
                            #expect(block.value(2, as: Int16.self) == 3)
                            #expect(block.value(3, as: UInt.self) == 0x1234)
                            #expect(block.value(4, as: Int8.self) == 4)
                            let offsets = (0..<5).map { block.slots[$0].unsafelyUnwrapped - block.memory }
                            #expect(offsets == [0, 8, 16, 24, 32])
                        }
                    }
                }
            }
        }
    }

    @Test func `Q3: methods with equal parameters share a copy plan, and the first bare pointer is named`() throws {
        let first = try plan("void f(const char *text, void *context, int n)")
        #expect(try plan("void g(const char *a, void *b, int c)") == first)
        #expect(first.pointee.firstBarePointer == 1)
        #expect(try plan("void f(const char *text, void *context, int n), borrowed").pointee.firstBarePointer == nil)
        #expect(
            try plan("void f(struct widget *w, void (*done)(void), const struct message *m)").pointee.firstBarePointer
                == nil)
        #expect(try plan("void f(struct widget **list)").pointee.firstBarePointer == 0)
    }

    @Test func `Q3: objects are retained and structs copied once for each capture`() throws {
        let plan = try plan("void f(struct widget *w, const struct message *m)")
        #expect(!plan.pointee.hasNoPointers)
        var message = 42
        try withUnsafeMutablePointer(to: &message) { message in
            var w = UnsafeMutableRawPointer(message)
            var m = UnsafeMutableRawPointer(message)
            try withUnsafeMutablePointer(to: &w) { w in
                try withUnsafeMutablePointer(to: &m) { m in
                    let block = try capture(plan, [.init(w), .init(m)])
                    #expect((retained, copied) == (1, 1))
                    #expect(block.value(0, as: UnsafeMutablePointer<Int>.self) == message)
                    let own = block.value(1, as: UnsafeMutablePointer<Int>.self)
                    #expect(own != message && own.pointee == 42)
                    plan.release(block.memory)
                    #expect((released, destroyed) == (1, 1))
                }
            }
        }
    }

    @Test func `Q3: a copy that fails releases what was captured before it`() throws {
        let plan = try plan("void f(struct widget *w, struct message *a, struct message *b, struct widget *x)")
        copiesLeft = 1
        var pointer = UnsafeMutableRawPointer(UnsafeMutablePointer<Int>.allocate(capacity: 1))
        pointer.storeBytes(of: 1, as: Int.self)
        defer { pointer.deallocate() }
        withUnsafeMutablePointer(to: &pointer) { pointer in
            let argument = UnsafeMutableRawPointer(pointer)
            let error = #expect(throws: CaptureFailure.self) {
                _ = try capture(plan, [argument, argument, argument, argument])
            }
            #expect(error?.parameter == 2)
        }
        #expect((retained, released, copied, destroyed) == (1, 1, 1, 1))
    }

    @Test func `Q3: captured arguments are counted, and a type that is removed captures nothing`() throws {
        let center = try Center.make()
        defer { try? center.end() }
        // The hooks are this test's own, because other tests register the shared ones.
        let hooks = try TypeHooks.object(retain: { _ in retained += 10 }, release: release)
        try center.manageType("struct thing", by: hooks)
        let methods = [ProtocolDescription.MethodSource.text("void f(struct thing *thing)")]
        let (_, defined) = try center.define(ProtocolDescription(name: "Test", methods: methods))
        let plan = defined[0].copyPlan
        var pointer = UnsafeMutableRawPointer(bitPattern: 16)
        try withUnsafeMutablePointer(to: &pointer) { pointer in
            let block = try capture(plan, [UnsafeMutableRawPointer(pointer)])
            #expect(hooks.outstanding == 1)
            #expect(try center.unmanageType("struct thing") == hooks)
            #expect(throws: CaptureFailure.self) { _ = try capture(plan, [UnsafeMutableRawPointer(pointer)]) }
            #expect(hooks.outstanding == 1)
            plan.release(block.memory)
            #expect(hooks.outstanding == 0)
        }
        #expect((retained, released) == (10, 1))
    }
}

import CPeal
import Peal
import Testing

private enum Files: PealProtocol {
    static let name = "Files"
    static let save = Method<Status, String>("save", parameters: "path", policy: .firstNonzero)
    static let close = Method<Status>("close", policy: .min)
    static let sync = Method<Each<Status>>("sync")
    static let methods: [any MethodDeclaration] = [save, close, sync]
}

private enum DiskError: Int32, StatusError { case full = -1000, readOnly = -1001, none = 3 }

private struct NoPaper: Error, Equatable { let tray: Int }

private final class Disk: Sendable {
    func save(_ path: String) throws { if path.isEmpty { throw DiskError.full } }
}

private actor Tape {
    func save(_ path: String) throws { throw DiskError.readOnly }
}

@Suite struct ThrownErrorTests {
    let center: Center

    init() throws { center = try Center() }

    @Test func `an error of an observer is thrown by the broadcast, and the observers after it are not called`() throws
    {
        let heard = Record<Int>()
        let observations = [
            try center.observe(Files.save) { _ in heard.append(1) },
            try center.observe(Files.save) { if $0.isEmpty { throw NoPaper(tray: 2) } },
            try center.observe(Files.save) { _ in heard.append(3) },
        ]
        #expect(try center.broadcast(Files.save, "notes").calls == 3)
        #expect(throws: NoPaper(tray: 2)) { try center.broadcast(Files.save, "") }
        #expect(heard.all == [1, 3, 1])
        #expect(try center.ask(Files.save, "") == .state)
        // The next broadcast does not find the error that this thread kept for the last one.
        #expect(try center.broadcast(Files.save, "notes").calls == 3)
        withExtendedLifetime(observations) {}
    }

    @Test func `the status of an error crosses to C, and one from C is thrown`() throws {
        let disk = try center.observe(Files.save) { _ in throw DiskError.full }
        let method = try center.method(Files.save)
        #expect(throws: DiskError.full) { try method.broadcast("a") }
        disk.cancel()

        let function: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32 = { _, _ in -1002 }
        let inC = try center.observeInC(
            method.protocol, "save", "int32_t f(const char *path)", unsafeBitCast(function, to: peal_function.self))
        let error = pealError { try center.broadcast(Files.save, "a") }
        #expect(error?.status == Status(rawValue: -1002))
        #expect(error?.message.contains("-1002") == true)
        withExtendedLifetime(inC) {}
    }

    @Test func `C declares the result as an enumeration or an int`() throws {
        try center.defineInC("Files", ["optional int save(const char *path), first_nonzero"])
        let disk = try center.observe(Files.save) { _ in throw PealError(status: .memory, message: "too long") }
        #expect(pealError { try center.broadcast(Files.save, "a") }?.message == "too long")
        withExtendedLifetime(disk) {}
    }

    @Test func `the least status is thrown after all observers were called`() throws {
        let heard = Record<Int>()
        let observations = [
            try center.observe(Files.close) {
                heard.append(1)
                throw DiskError.full
            },
            try center.observe(Files.close) {
                heard.append(2)
                throw DiskError.readOnly
            },
            try center.observe(Files.close) { () -> Status in
                heard.append(3)
                return .ok
            },
        ]
        #expect(throws: DiskError.readOnly) { try center.broadcast(Files.close) }
        #expect(heard.all == [1, 2, 3])
        withExtendedLifetime(observations) {}
    }

    @Test func `an error whose number is no failure has the status of a state`() throws {
        let disk = try center.observe(Files.close) { throw DiskError.none }
        #expect(try center.ask(Files.close) == .state)
        withExtendedLifetime(disk) {}
    }

    @Test func `objects, services and actors throw`() async throws {
        let (disk, tape) = (Disk(), Tape())
        try center.observe(Files.self, for: disk) {
            $0.on(Files.save) { disk, path in try disk.save(path) }
            $0.on(Files.sync) { _ in .ok }
        }
        #expect(throws: DiskError.full) { try center.broadcast(Files.save, "") }
        let service = try center.register(Disk.self) { _ in Disk() }
        let lazy = try center.observe(Files.self, by: service) {
            $0.on(Files.save) { disk, path in try disk.save(path) }
        }
        try center.unobserve(Files.self, for: disk)
        #expect(throws: DiskError.full) { try center.broadcast(Files.save, "") }
        lazy.cancel()
        let taping = try center.observe(Files.save, on: tape) { (tape: isolated Tape, path) in try tape.save(path) }
        #expect(try await center.method(Files.save).gather("a").results == [Status(rawValue: -1001)])
        taping.cancel()
    }
}

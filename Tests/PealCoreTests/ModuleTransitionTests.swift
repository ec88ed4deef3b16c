import Glibc
import Testing

@testable import PealCore

/// Tests the state machines of modules with every request in every state.
@Suite struct ModuleTransitionTests {
    private typealias Transition = (state: ModuleState, membership: ModuleMembership, action: ModuleAction)

    private struct Position: Hashable {
        var state = ModuleState.registered
        var membership = ModuleMembership.member

        func after(_ request: ModuleRequest) -> Transition { request.transition(from: state, membership) }
    }

    /// All positions that requests reach from the registration.
    private static let positions: Set<Position> = {
        var known: Set<Position> = [Position()]
        var new = Array(known)
        while let position = new.popLast() {
            for transition in ModuleRequest.allCases.map(position.after) {
                let next = Position(state: transition.state, membership: transition.membership)
                if known.insert(next).inserted { new.append(next) }
            }
        }
        return known
    }()

    private static let membershipOrder: [ModuleMembership] = [.member, .removed, .releasing, .released]
    /// The requests of the thread that performs an action.
    private static let results: Set<ModuleRequest> = [.started, .startFailed, .startUndone, .stopped, .released]

    @Test func `M5: a module that is being released neither runs, nor starts, nor stops`() {
        for state in ModuleState.allCases {
            #expect(Self.positions.contains(Position(state: state, membership: .member)))
            #expect(Self.positions.contains(Position(state: state, membership: .removed)))
            let isAtRest = [.registered, .stopped, .failed].contains(state)
            #expect(Self.positions.contains(Position(state: state, membership: .releasing)) == isAtRest)
            #expect(Self.positions.contains(Position(state: state, membership: .released)) == isAtRest)
        }
    }

    @Test func `M5: each start, stop and release of a module is performed by the one thread whose request begins it`() {
        for position in Self.positions {
            for request in ModuleRequest.allCases {
                let after = position.after(request)
                func begins(_ state: ModuleState) -> Bool { after.state == state && position.state != state }
                let beginsRelease = after.membership == .releasing && position.membership != .releasing
                #expect((after.action == .start) == begins(.starting), "\(position) \(request)")
                #expect((after.action == .stop) == begins(.stopping), "\(position) \(request)")
                #expect((after.action == .release) == beginsRelease, "\(position) \(request)")
            }
        }
    }

    @Test func `M5: only the thread that performs an action ends it, and no released module runs again`() throws {
        for position in Self.positions {
            for request in ModuleRequest.allCases {
                let after = position.after(request)
                if position.state == .starting || position.state == .stopping, !Self.results.contains(request) {
                    #expect(after.state == position.state, "\(position) \(request)")
                }
                let before = try #require(Self.membershipOrder.firstIndex(of: position.membership))
                let now = try #require(Self.membershipOrder.firstIndex(of: after.membership))
                #expect(now >= before && (now < 3 || before == 3 || request == .released), "\(position) \(request)")
            }
        }
    }

    @Test func `M4: a removed module is released, whatever happens meanwhile`() {
        for position in Self.positions where position.membership == .removed {
            // The running action ends, and then the module is removed in its turn.
            let results: [ModuleRequest] =
                position.state == .starting ? [.started, .startFailed, .startUndone] : [.stopped]
            for request in results {
                var position = position
                for request in [request, .remove, .stopped] {
                    let after = position.after(request)
                    position = Position(state: after.state, membership: after.membership)
                }
                #expect(position.membership == .releasing, "\(request)")
            }
        }
    }

    @Test
    func
        `L1: after the removal of a module only its stop, and a start that runs already, are called until its release`()
    {
        for position in Self.positions where position.membership != .member {
            let allowed = ModuleStep.Kind.allCases.filter { $0.isAllowed(in: position.state, position.membership) }
            let expected: [ModuleStep.Kind] =
                switch position.state {
                case .starting: [.start]
                case .stopping: [.stop]
                case .registered, .running, .stopped, .failed: []
                }
            #expect(allowed == expected, "\(position)")
        }
    }

    @Test func `M5: a stop of all modules is final`() {
        let final: Set<ModulesPhase> = [.cancelled, .draining, .stopped]
        for phase in ModulesPhase.allCases {
            #expect(final.contains(PhaseRequest.stop.transition(from: phase).phase))
            for request in PhaseRequest.allCases where final.contains(phase) {
                #expect(final.contains(request.transition(from: phase).phase), "\(phase) \(request)")
            }
        }
    }

    // MARK: The tables of docs/modules.md

    private static func cell(_ action: ModuleAction, _ next: String?) -> String {
        // No code reads the state of a module that is being released.
        if action == .release { return "release" }
        return [action == .none ? nil : action.word, next.map { "→ \($0)" }].compactMap { $0 }.joined(separator: " ")
    }

    private static func row(_ cells: [String]) -> String {
        "| " + cells.map { $0.isEmpty ? "–" : $0 }.joined(separator: " | ") + " |"
    }

    private static func row(_ phase: ModulesPhase) -> String {
        let requests: [PhaseRequest] = [.register, .start, .stop, .startFailed, .stopped]
        return row(
            [phase.word]
                + requests.map { request in
                    let after = request.transition(from: phase)
                    return cell(after.action, after.phase == phase ? nil : after.phase.word)
                })
    }

    private static func row(_ state: ModuleState, _ membership: ModuleMembership) -> String {
        let requests: [ModuleRequest] = [.start, .stop, .remove, .started, .startFailed, .stopped]
        return row(
            [membership == .member ? state.word : "\(state.word), removed"]
                + requests.map { request in
                    let after = request.transition(from: state, membership)
                    return cell(after.action, after.state == state ? nil : after.state.word)
                })
    }

    private static func lines(of page: String) throws -> [Substring] {
        let path = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let file = try #require(fopen("\(path)/\(page)", "r"))
        defer { fclose(file) }
        var text: [UInt8] = []
        while case let byte = getc(file), byte != EOF { text.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }

    @Test func `M5: the tables of the documentation are those of the state machines`() throws {
        let lines = try Self.lines(of: "docs/modules.md")
        let phases = ModulesPhase.allCases.map(Self.row)
        let states = ModuleState.allCases.map { Self.row($0, .member) }
        let removed = [ModuleState.starting, .running, .stopping].map { Self.row($0, .removed) }
        for row in phases + states + removed { #expect(lines.contains(Substring(row)), "docs/modules.md needs \(row)") }
    }
}

// The words of the documentation. Builds without reflection metadata do not have the names of cases.

extension ModuleAction {
    fileprivate var word: String {
        switch self {
        case .none: "none"
        case .start: "start"
        case .stop: "stop"
        case .release: "release"
        case .enqueue: "enqueue"
        case .wait: "wait"
        case .refuse: "refuse"
        }
    }
}

extension ModulesPhase {
    fileprivate var word: String {
        switch self {
        case .idle: "idle"
        case .starting: "starting"
        case .cancelled: "cancelled"
        case .unwinding: "unwinding"
        case .running: "running"
        case .draining: "draining"
        case .stopped: "stopped"
        }
    }
}

extension ModuleState {
    fileprivate var word: String {
        switch self {
        case .registered: "registered"
        case .starting: "starting"
        case .running: "running"
        case .stopping: "stopping"
        case .stopped: "stopped"
        case .failed: "failed"
        }
    }
}

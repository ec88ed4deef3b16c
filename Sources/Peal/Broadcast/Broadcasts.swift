internal import Synchronization

/// The events of a center as an asynchronous sequence: the broadcasts of a method, the values of a property, the events
/// of services and modules.
///
///     for await (room, count) in try center.broadcasts(of: Chat.onMessage) { … }
///
/// It observes from its creation, and keeps unread elements as its policy defines; dropped ones are counted. It is
/// for one loop. It ends, and with it the observation, when its task is cancelled, with the last reference to it and
/// its iterator, and when the center, the protocol or the property has ended.
public struct Broadcasts<Element: Sendable>: AsyncSequence, Sendable {
    private let stream: AsyncStream<Element>
    private let counter: Counter

    /// The number of elements that were dropped because they were not read in time.
    ///
    /// Thread rule: any thread.
    public var dropped: Int { counter.dropped.load(ordering: .relaxed) }

    /// Begins to observe. The body registers an observer that retains the source and sends its elements to it.
    init(
        _ policy: BufferingPolicy, _ observe: (Source) throws(PealError) -> ObserverToken
    ) throws(PealError) {
        let (stream, continuation) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: policy.ofStream())
        counter = Counter()
        self.stream = stream
        let observation = try observe(Source(continuation, counter))
        continuation.onTermination = { _ in observation.cancel() }
    }

    /// Takes the elements one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private var iterator: AsyncStream<Element>.AsyncIterator

        fileprivate init(_ iterator: AsyncStream<Element>.AsyncIterator) { self.iterator = iterator }

        /// The next element.
        ///
        /// - Returns: `nil` once the sequence has ended, and when the task is cancelled.
        public mutating func next() async -> Element? { await iterator.next() }

        /// The next element, on the caller's actor.
        ///
        /// - Parameter actor: The caller's actor.
        /// - Returns: `nil` once the sequence has ended, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await iterator.next(isolation: actor)
        }
    }

    /// Makes the iterator that a `for await` loop takes; one at a time.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(stream.makeAsyncIterator()) }

    final class Counter: Sendable {
        let dropped = Atomic(0)
    }

    /// The object to which an observer sends its elements. When the observer has released it, the sequence ends.
    final class Source: Sendable {
        private let continuation: AsyncStream<Element>.Continuation
        private let counter: Counter

        fileprivate init(_ continuation: AsyncStream<Element>.Continuation, _ counter: Counter) {
            self.continuation = continuation
            self.counter = counter
        }

        func send(_ element: Element) {
            if case .dropped = continuation.yield(element) { counter.dropped.add(1, ordering: .relaxed) }
        }

        deinit { continuation.finish() }
    }
}

/// The rule for the elements of a sequence that are not read in time.
public enum BufferingPolicy: Hashable, Sendable {
    /// All are kept.
    case unbounded
    /// The given number of oldest elements is kept, and later ones are dropped.
    case bufferingOldest(Int)
    /// The given number of newest elements is kept, and earlier ones are dropped.
    case bufferingNewest(Int)

    fileprivate func ofStream<Element>() -> AsyncStream<Element>.Continuation.BufferingPolicy {
        switch self {
        case .unbounded: .unbounded
        case .bufferingOldest(let count): .bufferingOldest(count)
        case .bufferingNewest(let count): .bufferingNewest(count)
        }
    }
}

extension Center {
    /// The broadcasts of a method, as an asynchronous sequence of its arguments.
    ///
    ///     let messages = try center.broadcasts(of: Chat.onMessage, bufferingPolicy: .bufferingNewest(10))
    ///     for await (room, count) in messages { print("\(count) in \(room)") }
    ///
    /// The sequence has the broadcasts that begin after this call. No broadcaster waits for its reader. Where the
    /// protocol requires other methods, the observer implements them by doing nothing, and abstains from their results.
    ///
    /// - Parameters:
    ///   - method: The method to observe. It has no result, because no broadcaster waits for one.
    ///   - bufferingPolicy: The rule for unread broadcasts: `.unbounded`, `.bufferingNewest(n)`,
    ///     `.bufferingOldest(n)`. Dropped ones are counted: ``Broadcasts/dropped``.
    ///   - options: Options of the observer. `.once` makes a sequence of one.
    /// - Returns: The sequence. The observation ends with it.
    /// - Throws: ``PealError``: ``Status/handle`` when the center has ended; as ``Center/method(_:)``.
    ///
    /// Thread rule: any thread. The C interface's `peal_observe_handler`.
    public func broadcasts<Owner, each Parameter: PealParameter & Sendable>(
        of method: PealMethod<Owner, Void, repeat each Parameter>,
        bufferingPolicy: BufferingPolicy = .unbounded, _ options: ObserverOption...
    ) throws(PealError) -> Broadcasts<(repeat each Parameter)> {
        try Broadcasts(bufferingPolicy) { source throws(PealError) in
            let body: @Sendable (repeat each Parameter) -> Void = { (argument: repeat each Parameter) in
                source.send((repeat each argument))
            }
            return try listen(method.signature, options, Responses.make(body))
        }
    }
}

extension Property {
    /// The values of the property, as an asynchronous sequence: the one that it has now, and then each that is set.
    ///
    ///     for await volume in try volume.values() { bar.show(volume) }
    ///
    /// - Parameters:
    ///   - bufferingPolicy: The rule for unread values; by default only the latest is kept. Dropped ones are counted:
    ///     ``Broadcasts/dropped``.
    ///   - options: Options of the observer.
    /// - Returns: The sequence. The observation ends with it.
    /// - Throws: ``Status/handle`` once the property has ended.
    ///
    /// Thread rule: any thread; it may wait. The C interface's `peal_property_observe`.
    public func values(
        bufferingPolicy: BufferingPolicy = .bufferingNewest(1), _ options: ObserverOption...
    ) throws(PealError) -> Broadcasts<Value> {
        try Broadcasts(bufferingPolicy) { source throws(PealError) in
            try observe(.initial, options) { source.send(Change<Value>($0).new) }
        }
    }
}

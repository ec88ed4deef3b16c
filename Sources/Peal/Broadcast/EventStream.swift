/// Events as an asynchronous sequence.
enum EventStream {
    /// A stream that observes for as long as somebody iterates it, and ends with what it observes.
    static func make<Event: Sendable>(
        _ policy: AsyncStream<Event>.Continuation.BufferingPolicy,
        observe: (EventTarget<Event>) throws(PealError) -> Observation
    ) throws(PealError) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: policy)
        let observation = try observe(
            EventTarget(tell: { continuation.yield($0) }, end: { continuation.finish() }))
        continuation.onTermination = { _ in observation.cancel() }
        return stream
    }
}

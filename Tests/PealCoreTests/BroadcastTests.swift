import CPealSupport
import PealCall
import Testing

@testable import PealCore

@Suite struct BroadcastTests {
    @Test func `B1: a broadcast calls every observer once`() throws {
        let fixture = try Fixture("void ping(void)")
        defer { fixture.end() }
        let counters = (0..<3).map { _ in Counter() }
        for counter in counters { try fixture.observe(counter.value, Counter.add) }
        #expect(fixture.send() == (.done, 3))
        #expect(counters.map(\.value.pointee) == [1, 1, 1])
    }

    @Test func `O4: a higher priority is called earlier, whenever it was registered`() throws {
        let fixture = try Fixture("void ping(void)")
        defer { fixture.end() }
        let order = UnsafeMutablePointer<Int>.allocate(capacity: 1)
        defer { order.deallocate() }
        order.pointee = 0
        let digits: [(Int32, @convention(c) (UnsafeMutableRawPointer?) -> Void)] = [
            (
                0,
                {
                    $0?.assumingMemoryBound(to: Int.self).pointee *= 10;
                    $0?.assumingMemoryBound(to: Int.self).pointee += 2
                }
            ),
            (
                5,
                {
                    $0?.assumingMemoryBound(to: Int.self).pointee *= 10;
                    $0?.assumingMemoryBound(to: Int.self).pointee += 1
                }
            ),
            (
                0,
                {
                    $0?.assumingMemoryBound(to: Int.self).pointee *= 10;
                    $0?.assumingMemoryBound(to: Int.self).pointee += 3
                }
            ),
            (
                -1,
                {
                    $0?.assumingMemoryBound(to: Int.self).pointee *= 10;
                    $0?.assumingMemoryBound(to: Int.self).pointee += 4
                }
            ),
        ]
        for (priority, function) in digits {
            try fixture.observe(order, function) {
                $0.priority = priority
                $0.options.insert(.allowsDuplicates)
            }
        }
        fixture.send()
        #expect(order.pointee == 1234)
    }

    @Test func `an ended center's methods are stale and its observers are destroyed`() throws {
        let counter = Counter()
        let number: UInt64
        do {
            let fixture = try Fixture("void ping(void)")
            defer { fixture.end() }
            number = fixture.methods[0].id
            try fixture.observe(counter.value, { _ in }) { $0.destroy = Counter.add }
        }
        #expect(counter.value.pointee == 1)
        var calls = 0
        #expect(
            Broadcast.send(number, arguments: nil, count: 0, request: BroadcastRequest(result: nil), calls: &calls)
                == .unknownMethod)
    }

    @Test func `a slot that is used again does not accept the old handle`() throws {
        var numbers: Set<UInt64> = []
        for _ in 0..<50 {
            let fixture = try Fixture("void ping(void)")
            defer { fixture.end() }
            #expect(numbers.insert(fixture.methods[0].id).inserted)
        }
    }

    @Test(arguments: [
        ("void f(void *a, int b)", true), ("int f(long a)", true), ("void f(short a)", false),
        ("void f(int a, int b, int c, int d, int e)", false), ("bool f(int a), first_true", false),
        ("void f(int a), reject", false),
    ])
    func `plain methods with a few integers keep them in registers`(_ text: String, _ takesIntegers: Bool) throws {
        let fixture = try Fixture(text)
        defer { fixture.end() }
        let method = fixture.methods[0]
        let count = method.declaration.signature.parameters.count
        #expect(method.traits.takesIntegers(count) == takesIntegers)
    }
}

@Suite struct ResultArithmeticTests {
    private func sum<Number>(_ kind: ResultKind, _ left: Number, _ right: Number) -> Number {
        var left = left
        var right = right
        withUnsafeMutableBytes(of: &left) { left in
            withUnsafeMutableBytes(of: &right) { right in kind.add(right.baseAddress!, to: left.baseAddress!) }
        }
        return left
    }

    @Test func `B2: a sum of integers saturates at the ends of its type`() {
        #expect(sum(.int8, Int8(100), 100) == 127)
        #expect(sum(.int8, Int8(-100), -100) == -128)
        #expect(sum(.uint16, UInt16(65_000), 1_000) == 65_535)
        #expect(sum(.int64, Int64.max, 1) == .max)
        #expect(sum(.double, 0.5, 0.25) == 0.75)
    }
}

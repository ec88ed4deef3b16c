import CPeal
import Peal
import Synchronization
import Testing

private enum Presence: Int32, PealEnum {
    case offline, online, away
    static let unknown = Presence.offline
}

private struct Point: PealStruct, Equatable {
    var x: Double
    var y: Double
    var tag: UInt8
    static let structure = Structure<Point>("point", .member("x", \.x), .member("y", \.y), .member("tag", \.tag))
}

private struct Wrong: PealStruct {
    var x: Double
    var y: Double
    static let structure = Structure<Wrong>("wrong", .member("y", \.y), .member("x", \.x))
}

private struct Short: PealStruct {
    var x: Double
    var y: Double
    static let structure = Structure<Short>("struct shorter { double x; };")
}

private struct Corner: PealStruct {
    var x: Float
    var y: Float
    static let structure = Structure<Corner>("corner", .member("x", \.x), .member("y", \.y))
}

/// A struct whose layout differs in C, which would put the last member after the padding of the previous one.
private struct Packed: PealStruct {
    var origin: Point
    var isOpen: Bool
    static let structure = Structure<Packed>("packed", .member("origin", \.origin), .member("is_open", \.isOpen))
}

private struct Span: PealStruct {
    var start: UnsafePointer<UInt8>?
    var origin: Corner
    var isOpen: Bool
    static let structure = Structure<Span>(
        "span", .member("start", \.start), .member("origin", \.origin), .member("is_open", \.isOpen))
}

private enum Values: PealProtocol {
    static let span = Method<Void, Span, Int8>("span")
    static let narrow = Method<Void, Int8, UInt8, Int16, UInt16, Bool>("narrow")
    static let wide = Method<Void, Int32, UInt32, Int64, UInt64, Int, UInt>("wide")
    static let real = Method<Void, Float, Double>("real")
    static let text = Method<Void, String, String?>("text", parameters: "text", "note")
    static let pointers = Method<Void, UnsafeRawPointer?, UnsafeMutablePointer<Int32>?, OpaquePointer?>("pointers")
    static let presence = Method<Presence, Presence>("presence", policy: .last)
    static let point = Method<Point, Point, Int32>("point", policy: .last)
    static let buffer = Method<Void, UnsafePointer<Float>?, Int>(
        "buffer", parameters: "const float *__counted_by(count) samples", "size_t count")
    static let answer = Method<String?, String>("answer", policy: .last)
    static let title = Method<String, Int32>("title", policy: .last)
    static let methods: [any MethodDeclaration] = [
        narrow, wide, real, text, pointers, presence, point, buffer, answer, span, title,
    ]
}

private struct CountedText: PealStruct {
    var text: String
    static let structure = Structure<CountedText>("struct counted { char text[16]; };")
}

private enum WithReference: PealProtocol {
    static let wrong = Method<Void, CountedText>("wrong")
    static let methods: [any MethodDeclaration] = [wrong]
}

private enum Broken: PealProtocol {
    static let wrong = Method<Void, Wrong>("wrong")
    static let methods: [any MethodDeclaration] = [wrong]
}

private enum Padded: PealProtocol {
    static let wrong = Method<Void, Packed>("wrong")
    static let methods: [any MethodDeclaration] = [wrong]
}

private enum TooShort: PealProtocol {
    static let short = Method<Void, Short>("brief")
    static let methods: [any MethodDeclaration] = [short]
}

/// The values that a C function received, as text.
private nonisolated(unsafe) var noted: [String] = []

@Suite(.serialized) struct ValueTests {
    @Test func `numbers arrive unchanged`() throws {
        let center = try Center()
        let heard = Mutex<[String]>([])
        let narrow = try center.observe(Values.narrow) { a, b, c, d, e in
            heard.withLock { $0.append("\(a) \(b) \(c) \(d) \(e)") }
        }
        let wide = try center.observe(Values.wide) { a, b, c, d, e, f in
            heard.withLock { $0.append("\(a) \(b) \(c) \(d) \(e) \(f)") }
        }
        let real = try center.observe(Values.real) { a, b in heard.withLock { $0.append("\(a) \(b)") } }
        try center.broadcast(Values.narrow, .min, .max, .min, .max, true)
        try center.broadcast(Values.wide, .min, .max, .min, .max, .min, .max)
        try center.broadcast(Values.real, -0.5, .greatestFiniteMagnitude)
        #expect(
            heard.withLock(\.self) == [
                "-128 255 -32768 65535 true",
                "-2147483648 4294967295 -9223372036854775808 18446744073709551615 -9223372036854775808 18446744073709551615",
                "-0.5 1.7976931348623157e+308",
            ])
        withExtendedLifetime((narrow, wide, real)) {}
    }

    @Test func `a C function receives the arguments of a broadcast in Swift`() throws {
        let center = try Center()
        let owner = try center.define(Values.self)
        noted = []
        let narrow: @convention(c) (UnsafeMutableRawPointer?, Int8, UInt8, Int16, UInt16, Bool) -> Void = {
            noted.append("\($1) \($2) \($3) \($4) \($5)")
        }
        let text: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Void = {
            noted.append("\($1.map { String(cString: $0) } ?? "NULL") \($2.map { String(cString: $0) } ?? "NULL")")
        }
        let first = try center.observeInC(
            owner, "narrow", "void f(int8_t a, uint8_t b, int16_t c, uint16_t d, bool e)",
            unsafeBitCast(narrow, to: peal_function.self))
        let second = try center.observeInC(
            owner, "text", "void f(const char *text, const char *note)", unsafeBitCast(text, to: peal_function.self))
        try center.broadcast(Values.narrow, -1, 2, -3, 4, false)
        try center.broadcast(Values.text, "smörgås", nil)
        try center.broadcast(Values.text, "", "")
        #expect(noted == ["-1 2 -3 4 false", "smörgås NULL", " "])
        withExtendedLifetime((first, second)) {}
    }

    @Test(arguments: [0, 1, 15, 16, 500, 900, 5000, 100_000])
    func `strings of any length arrive unchanged`(length: Int) throws {
        let center = try Center()
        let heard = Mutex<[String?]>([])
        let observation = try center.observe(Values.text) { text, note in heard.withLock { $0 += [text, note] } }
        let text = String(repeating: "é", count: length / 2) + (length % 2 == 1 ? "x" : "")
        try center.broadcast(Values.text, text, text)
        #expect(heard.withLock(\.self) == [text, text])
        withExtendedLifetime(observation) {}
    }

    @Test func `a string with a zero inside is refused, and no observer is called`() throws {
        let center = try Center()
        let observation = try center.observe(Values.text) { _, _ in Issue.record("it was called") }
        for (text, note) in [("ab\0c", nil), ("abc", "d\0"), ("\0", String(repeating: "x", count: 3000))]
            as [(String, String?)]
        {
            let error = #expect(throws: PealError.self) { try center.broadcast(Values.text, text, note) }
            #expect(error?.status == .argument)
            #expect(error?.message.contains("zero at byte") == true)
        }
        withExtendedLifetime(observation) {}
    }

    @Test func `NULL and invalid UTF-8 from C arrive as defined values`() throws {
        let center = try Center()
        let heard = Mutex<[String?]>([])
        let observation = try center.observe(Values.text) { text, note in heard.withLock { $0 += [text, note] } }
        let method = try center.method(Values.text).handle
        let broken: [CChar] = [0x61, -1, 0x62, 0]
        broken.withUnsafeBufferPointer { broken in
            var text: UnsafePointer<CChar>?
            var note = broken.baseAddress
            withUnsafeMutablePointer(to: &text) { text in
                withUnsafeMutablePointer(to: &note) { note in
                    var list = [UnsafeMutableRawPointer?(text), UnsafeMutableRawPointer?(note)]
                    #expect(peal_send(method, &list, 2, nil, nil) == PEAL_OK)
                }
            }
        }
        #expect(heard.withLock(\.self) == ["", "a\u{FFFD}b"])
        withExtendedLifetime(observation) {}
    }

    @Test func `pointers arrive unchanged`() throws {
        let center = try Center()
        let heard = Mutex<[Int]>([])
        let observation = try center.observe(Values.pointers) { raw, typed, opaque in
            typed?.pointee += 1
            heard.withLock { $0 += [Int(bitPattern: raw), Int(bitPattern: typed), Int(bitPattern: opaque)] }
        }
        var number: Int32 = 41
        let addresses = try withUnsafeMutablePointer(to: &number) { number in
            try center.broadcast(Values.pointers, UnsafeRawPointer(number), number, OpaquePointer(number))
            return [Int](repeating: Int(bitPattern: number), count: 3)
        }
        try center.broadcast(Values.pointers, nil, nil, nil)
        #expect(number == 42)
        #expect(heard.withLock(\.self) == addresses + [0, 0, 0])
        withExtendedLifetime(observation) {}
    }

    @Test func `an unknown number becomes the unknown case`() throws {
        let center = try Center()
        let observation = try center.observe(Values.presence) { $0 }
        #expect(try center.ask(Values.presence, .away) == .away)
        var sent: Int32 = 77
        var result: Int32 = -1
        withUnsafeMutablePointer(to: &sent) { sent in
            var list = UnsafeMutableRawPointer?(sent)
            #expect(peal_send(try! center.method(Values.presence).handle, &list, 1, &result, nil) == PEAL_OK)
        }
        #expect(result == Presence.offline.rawValue)
        withExtendedLifetime(observation) {}
    }

    @Test func `structs are passed by value`() throws {
        let center = try Center()
        let observation = try center.observe(Values.point) { point, times in
            Point(x: point.x * Double(times), y: point.y * Double(times), tag: point.tag + 1)
        }
        #expect(try center.ask(Values.point, Point(x: 1.5, y: -2, tag: 7), 3) == Point(x: 4.5, y: -6, tag: 8))
        var size = 0
        #expect(peal_type_layout(center.handle, "struct point", &size, nil) == PEAL_OK)
        #expect(size == MemoryLayout<Point>.stride)
        withExtendedLifetime(observation) {}
    }

    @Test func `a struct may have pointers and structs inside`() throws {
        let center = try Center()
        let heard = Mutex<[String]>([])
        let observation = try center.observe(Values.span) { span, number in
            heard.withLock { $0.append("\(span.start!.pointee) \(span.origin.y) \(span.isOpen) \(number)") }
        }
        var byte: UInt8 = 9
        try withUnsafePointer(to: &byte) { byte in
            _ = try center.broadcast(Values.span, Span(start: byte, origin: Corner(x: 0, y: 3), isOpen: true), 7)
        }
        #expect(heard.withLock(\.self) == ["9 3.0 true 7"])
        withExtendedLifetime(observation) {}
    }

    @Test func `a struct with another layout than in C is refused`() throws {
        let center = try Center()
        let wrong = #expect(throws: PealError.self) { try center.define(Broken.self) }
        #expect(wrong?.status == .type)
        #expect(wrong?.message.contains("'y' of struct wrong lies at byte 8") == true, "\(wrong!)")
        let padded = #expect(throws: PealError.self) { try center.define(Padded.self) }
        #expect(
            padded?.message.contains("'is_open' of struct packed lies at byte 17, and in C at byte 24") == true,
            "\(padded!)")
        let counted = #expect(throws: PealError.self) { try center.define(WithReference.self) }
        #expect(counted?.message.hasPrefix("CountedText refers to objects") == true, "\(counted!)")
        let short = #expect(throws: PealError.self) { try center.define(TooShort.self) }
        #expect(short?.message.contains("they have 8 and 16 bytes") == true, "\(short!)")
    }

    @Test func `a buffer is passed with its length`() throws {
        let center = try Center()
        let heard = Mutex<[Float]>([])
        let observation = try center.observe(Values.buffer) { samples, count in
            heard.withLock { $0 = Array(UnsafeBufferPointer(start: samples, count: count)) }
        }
        let samples: [Float] = [1, 2, 3]
        _ = try samples.withUnsafeBufferPointer { try center.broadcast(Values.buffer, $0.baseAddress, $0.count) }
        #expect(heard.withLock(\.self) == samples)
        withExtendedLifetime(observation) {}
    }

    @Test func `observers return strings, on this thread, on queues and to C`() async throws {
        let center = try Center()
        let queue = try Queue()
        let observations = [
            try center.observe(Values.answer) { $0 == "none" ? nil : "answer to \($0)" },
            try center.observe(Values.title) { "title \($0)" },
            try center.observe(Values.title, .on(queue)) { "queued \($0)" },
        ]
        #expect(try center.ask(Values.answer, "x") == "answer to x")
        #expect(try center.ask(Values.answer, "none") == nil)
        #expect(try center.collect(Values.title, 7) == ["title 7"])
        let gathered = try await center.method(Values.title).gather(8, timeout: .seconds(20))
        #expect(gathered.results.sorted() == ["queued 8", "title 8"])
        let method = try center.method(Values.title).handle
        var (number, texts) = (Int32(9), [UnsafePointer<CChar>?]())
        for _ in 0..<2 {
            var text: UnsafePointer<CChar>?
            withUnsafeMutablePointer(to: &number) { number in
                var list = UnsafeMutableRawPointer?(number)
                #expect(peal_send(method, &list, 1, &text, nil) == PEAL_OK)
            }
            texts.append(text)
        }
        #expect(texts.map { String(cString: $0!) } == ["title 9", "title 9"])
        #expect(texts[0] == texts[1])
        withExtendedLifetime(observations) {}
    }

    @Test func `a returned string is copied`() throws {
        let center = try Center()
        let owner = try center.define(Values.self)
        let answer: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> UnsafePointer<CChar>? = { $1 }
        #expect(try center.ask(Values.answer, "nobody") == nil)
        let observation = try center.observeInC(
            owner, "answer", "const char *f(const char *question)", unsafeBitCast(answer, to: peal_function.self))
        // The C function returns its argument, which is temporary memory of the broadcast, on the stack or the heap.
        #expect(try center.ask(Values.answer, "echo") == "echo")
        let long = String(repeating: "long", count: 1000)
        #expect(try center.ask(Values.answer, long) == long)
        #expect(try center.collect(Values.answer, long) == [long])
        withExtendedLifetime(observation) {}
    }

    @Test func `an enumeration of texts is a C string`() throws {
        let center = try Center()
        let observations = [
            try center.observe(Themed.next) { $0 == .light ? .dark : .light },
            try center.observe(Themed.onTheme) { #expect($0 == .dark) },
        ]
        #expect(try center.ask(Themed.next, .light) == .dark)
        #expect(try center.broadcast(Themed.onTheme, .dark).calls == 1)
        let next = try center.method("next", of: "Themed", returning: String.self, taking: String.self)
        #expect(try next("light") == "dark")
        #expect(try next("purple") == "light")
        let theme = try Property("theme", initially: Theme.light, in: center)
        try theme.set(.dark)
        #expect(try theme.value == .dark)
        #expect(try Property<String>(existing: "theme", in: center).value == "dark")
        withExtendedLifetime(observations) {}
    }
}

private enum Theme: String, PealEnum {
    case light, dark, unknown
}

private enum Themed: PealProtocol {
    static let name = "Themed"
    static let next = Method<Theme, Theme>("next", policy: .last)
    static let onTheme = Method<Void, Theme>("on_theme")
    static let methods: [any MethodDeclaration] = [next, onTheme]
}

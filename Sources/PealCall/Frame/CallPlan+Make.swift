internal import CFFI
internal import CPealSupport

extension CallPlan {
    /// Prepares the call interface of a shape and learns its frame. The result is never freed.
    static func make(_ shape: CallShape) throws(OutOfMemory) -> Pointer {
        let result = shape.result.asFFIReturnsIt
        let learned = try LearnedFrame(CallShape(result: result, parameters: shape.parameters))
        // A struct that libffi passes wrongly as a whole is described in halves.
        let ffiShape = CallShape(result: result, parameters: learned.pieces.map { $0.shape })
        var memory = FFITypes()
        let interface = try memory.interface(of: ffiShape)
        let location = ResultProbe.location(of: ffiShape.result, interface: interface, parameters: ffiShape.parameters)
        let frame = location == .elsewhere ? nil : learned.frame
        let moves = frame == nil ? [] : learned.moves
        let locations = frame == nil ? nil : learned.wordLocations(of: shape.parameters)

        // One allocation: the plan, then its lists in the order of their alignments.
        let count = shape.parameters.count
        let lists = moves.count * MemoryLayout<FrameMove>.stride + count * MemoryLayout<UInt32>.stride + 2 * count
        var next = UnsafeMutableRawPointer(
            try memory.allocate(UInt8.self, count: MemoryLayout<CallPlan>.stride + lists))
        let plan = next.bindMemory(to: CallPlan.self, capacity: 1)
        next += MemoryLayout<CallPlan>.stride
        let sizes = list(shape.parameters.map { UInt32($0.size) }, &next)
        let firstMove = list(moves, &next)
        let kinds = list(shape.parameters.map(VariadicKind.init), &next)
        let wordLocations = locations.map { list($0, &next) }
        plan.initialize(
            to: CallPlan(
                frame: frame, resultLocation: location, parameterCount: shape.parameters.count,
                resultKind: ResultKind(shape.result), resultSize: shape.result.size,
                variadicKinds: kinds, parameterSizes: sizes, wordLocations: wordLocations,
                stackWords: frame == nil ? 0 : learned.stackWords, moves: firstMove,
                endOfMoves: firstMove + moves.count,
                interface: UnsafeMutableRawPointer(interface), caller: FFICaller(interface, reusesPlan: frame == nil),
                overwritesArguments: shape.parameters.contains { $0.isStructure && $0.size > 16 },
                halvedParameter: learned.halvedParameter ?? -1))
        plan.pointee.integers = plan.pointee.findIntegers()
        memory.keep()
        return UnsafePointer(plan)
    }

    private static func list<Value: BitwiseCopyable>(
        _ values: [Value], _ next: inout UnsafeMutableRawPointer
    ) -> UnsafePointer<Value> {
        let list = next.bindMemory(to: Value.self, capacity: values.count)
        for (index, value) in values.enumerated() { list[index] = value }
        next += values.count * MemoryLayout<Value>.stride
        return UnsafePointer(list)
    }
}

extension LearnedFrame {
    fileprivate var stackWords: Int {
        moves.reduce(0) { max($0, Int($1.word) - Int(PEAL_FRAME_FIRST_STACK) + 1) }
    }

    /// For each parameter, the word at which its value begins. nil if the parts of a value are not contiguous (a struct
    /// in registers of both kinds), or if a value needs more alignment than its word has.
    fileprivate func wordLocations(of parameters: [ValueShape]) -> [UInt8]? {
        let firstStack = UInt8(PEAL_FRAME_FIRST_STACK)
        var locations = Array(repeating: UInt8.max, count: parameters.count)
        for move in moves {
            let step = move.offset / 8
            if step == 0 { locations[Int(move.argument)] = move.word }
            let first = locations[Int(move.argument)]
            // Words of the stack may lie elsewhere than those of registers.
            guard move.offset % 8 == 0, first < .max - step, move.word == first + step,
                (first < firstStack) == (move.word < firstStack)
            else { return nil }
        }
        // The stack begins at a multiple of 16 bytes; the registers of a frame may lie at any word.
        let areAligned = zip(locations, parameters).allSatisfy { location, parameter in
            parameter.layout.alignment <= 8 || location >= firstStack && (location - firstStack) % 2 == 0
        }
        return locations.contains(.max) || !areAligned ? nil : locations
    }
}

extension FrameShape {
    /// The smallest shape whose words include those of all moves.
    init?(carrying moves: [FrameMove]) {
        let firstFloat = Int(PEAL_FRAME_FIRST_FLOAT)
        let firstStack = Int(PEAL_FRAME_FIRST_STACK)
        var integers = 1
        var floats = 0
        var stackWords = 0
        for word in moves.map({ Int($0.word) }) {
            if word < firstFloat {
                integers = max(integers, word + 1)
            } else if word < firstStack {
                floats = max(floats, word - firstFloat + 1)
            } else {
                stackWords = max(stackWords, word - firstStack + 1)
            }
        }
        self.init(integers: integers, floats: floats, stackWords: stackWords)
    }
}

extension VariadicKind {
    init(_ shape: ValueShape) {
        self =
            switch shape {
            case .int8: .int8
            case .uint8: .uint8
            case .int16: .int16
            case .uint16: .uint16
            case .int32, .uint32: .int32
            case .int64, .uint64: .int64
            case .bool: .bool
            case .pointer: .pointer
            case .float: .float
            case .double: .double
            case .longDouble: .longDouble
            case .complexFloat: .complexFloat
            case .complexDouble: .complexDouble
            case .complexLongDouble: .complexLongDouble
            case .void, .members: .reference
            }
    }
}

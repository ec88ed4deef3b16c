import PealCall

extension CopyPlan {
    /// The key of a copy plan. Methods with equal keys share a plan.
    struct Key: Hashable, Sendable {
        /// The shapes of parameters that count elements. A plan needs the sizes and alignments of the others alone, so
        /// methods whose arguments differ in kind share a plan.
        let shapes: [ValueShape]
        let ownerships: [Ownership]
        let isBorrowed: Bool

        init(_ declaration: MethodDeclaration, _ shapes: [ValueShape]) {
            let ownerships = declaration.signature.parameters.map { $0.ownership }
            let counts = Set(ownerships.compactMap { $0.countingParameter })
            self.shapes = shapes.indices.map { index in
                counts.contains(index) ? shapes[index] : shapes[index].representativeOfLayout
            }
            self.ownerships = ownerships
            isBorrowed = declaration.isBorrowed
        }
    }

    /// Computes the layout of images and makes the plan, which is never freed.
    static func make(_ key: Key) throws(OutOfMemory) -> Pointer {
        let layout = ArgumentLayout(key.shapes)
        let offsets = layout.offsets
        let values = key.shapes.indices.map { index in
            CopiedValue(parameter: index, offset: offsets[index], size: key.shapes[index].layout.size)
        }
        let (words, halves) = (values.filter { $0.size == 8 }, values.filter { $0.size == 4 })
        let sorted = words + halves + values.filter { $0.size != 8 && $0.size != 4 }
        let pointers = key.ownerships.indices.compactMap { index in
            CapturedPointer.Rule(key.ownerships[index], key.shapes).map {
                CapturedPointer(parameter: index, offset: offsets[index], rule: $0)
            }
        }
        // One allocation: the plan, then its lists.
        let offsetsStart = MemoryLayout<CopyPlan>.stride
        let valuesStart = offsetsStart + offsets.count * MemoryLayout<Int>.stride
        let pointersStart = valuesStart + values.count * MemoryLayout<CopiedValue>.stride
        let size = pointersStart + pointers.count * MemoryLayout<CapturedPointer>.stride
        let memory = UnsafeMutableRawPointer(try RawMemory.allocate(UInt8.self, count: size))
        let plan = memory.bindMemory(to: CopyPlan.self, capacity: 1)
        let first = element(sorted, at: memory + valuesStart)
        plan.initialize(
            to: CopyPlan(
                parameterCount: values.count, fixedSize: layout.size, hasNoPointers: pointers.isEmpty,
                firstBarePointer: key.isBorrowed ? nil : key.ownerships.firstIndex(of: .bare),
                offsets: element(offsets, at: memory + offsetsStart), values: first,
                endOfWords: first + words.count, endOfHalves: first + words.count + halves.count,
                endOfValues: first + sorted.count,
                pointers: element(pointers, at: memory + pointersStart), pointerCount: pointers.count))
        return UnsafePointer(plan)
    }

    private static func element<Value: BitwiseCopyable>(
        _ values: [Value], at memory: UnsafeMutableRawPointer
    ) -> UnsafePointer<Value> {
        let list = memory.bindMemory(to: Value.self, capacity: values.count)
        for (index, value) in values.enumerated() { list[index] = value }
        return UnsafePointer(list)
    }
}

extension Ownership {
    /// The parameter that counts the elements or the bytes; nil if none does.
    fileprivate var countingParameter: Int? {
        switch self {
        case .counted(.parameter(let index), _, _), .sized(.parameter(let index), _): index
        default: nil
        }
    }
}

extension CapturedPointer.Rule {
    /// Returns nil for an argument that is captured by its value alone.
    fileprivate init?(_ ownership: Ownership, _ shapes: [ValueShape]) {
        switch ownership {
        case .value, .function, .bare: return nil
        case .string: self = .string
        case .counted(let length, let size, _): self.init(length, size: size, shapes)
        case .sized(let length, _): self.init(length, size: 1, shapes)
        case .managed(let hooks): self = .managed(hooks.table)
        }
    }

    private init(_ length: Ownership.Length, size: Int, _ shapes: [ValueShape]) {
        switch length {
        case .constant(let count): self = .elements(count, size: size)
        case .parameter(let index): self = .counted(by: index, ResultKind(shapes[index]), size: size)
        }
    }
}

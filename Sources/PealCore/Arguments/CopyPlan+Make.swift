import PealCall

extension CopyPlan {
    /// What decides how arguments are captured. Methods that agree in it share a plan.
    struct Key: Hashable, Sendable {
        let shapes: [ValueShape]
        let ownerships: [Ownership]
        let isBorrowed: Bool

        init(_ declaration: MethodDeclaration) {
            shapes = declaration.signature.parameters.map(\.shape)
            ownerships = declaration.signature.parameters.map(\.ownership)
            isBorrowed = declaration.isBorrowed
        }
    }

    /// Lays a block out. The result is never freed.
    static func make(_ key: Key) throws(OutOfMemory) -> Pointer {
        let (values, end) = layOut(key.shapes)
        let offsets = values.map(\.offset)
        let (words, halves) = (values.filter { $0.size == 8 }, values.filter { $0.size == 4 })
        let sorted = words + halves + values.filter { $0.size != 8 && $0.size != 4 }
        let pointers = key.ownerships.indices.compactMap { index in
            CapturedPointer.Rule(key.ownerships[index], key.shapes).map {
                CapturedPointer(parameter: index, offset: offsets[index], rule: $0)
            }
        }
        // One allocation: the plan, then its lists.
        let offsetsPlace = MemoryLayout<CopyPlan>.size.roundedUp(to: alignment)
        let valuesPlace = offsetsPlace + offsets.count * MemoryLayout<Int>.stride
        let pointersPlace = valuesPlace + values.count * MemoryLayout<CopiedValue>.stride
        let size = pointersPlace + pointers.count * MemoryLayout<CapturedPointer>.stride
        let memory = UnsafeMutableRawPointer(try RawMemory.allocate(UInt8.self, count: size))
        let plan = memory.bindMemory(to: CopyPlan.self, capacity: 1)
        plan.initialize(
            to: CopyPlan(
                parameterCount: values.count, fixedSize: end, isPlain: pointers.isEmpty,
                firstBarePointer: key.isBorrowed ? nil : key.ownerships.firstIndex(of: .bare),
                offsets: place(offsets, at: memory + offsetsPlace), values: place(sorted, at: memory + valuesPlace),
                wordCount: words.count, halfCount: halves.count,
                pointers: place(pointers, at: memory + pointersPlace), pointerCount: pointers.count))
        return UnsafePointer(plan)
    }

    /// Each value at the next place that its alignment allows.
    private static func layOut(_ shapes: [ValueShape]) -> (values: [CopiedValue], end: Int) {
        var values: [CopiedValue] = []
        var end = 0
        for (index, shape) in shapes.enumerated() {
            let layout = shape.layout
            let offset = end.roundedUp(to: layout.alignment)
            values.append(CopiedValue(parameter: index, offset: offset, size: layout.size))
            end = offset + layout.size
        }
        return (values, end)
    }

    private static func place<Value: BitwiseCopyable>(
        _ values: [Value], at memory: UnsafeMutableRawPointer
    ) -> UnsafePointer<Value> {
        let list = memory.bindMemory(to: Value.self, capacity: values.count)
        for (index, value) in values.enumerated() { list[index] = value }
        return UnsafePointer(list)
    }
}

extension CapturedPointer.Rule {
    /// nil for what is captured by its value alone.
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

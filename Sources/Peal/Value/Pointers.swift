extension UnsafeRawPointer: PealPointer {
    /// `const void *`. Fits a parameter that points to anything constant.
    public static var cType: CType { CType("const void *") }
}

extension UnsafeMutableRawPointer: PealPointer {
    /// `void *`. Fits a parameter that points to anything that may be changed.
    public static var cType: CType { CType("void *") }
}

extension OpaquePointer: PealPointer {
    /// `void *`. Fits any pointer: Swift has pointers to incomplete C types as this.
    public static var cType: CType { .anyPointer }
}

extension UnsafePointer: PealPointer {
    /// A pointer to the constant C type of the pointee; `const void *` where that has none.
    public static var cType: CType { Pointees.pointer(to: Pointee.self, isConstant: true) }
}

extension UnsafeMutablePointer: PealPointer {
    /// A pointer to the C type of the pointee; `void *` where that has none.
    public static var cType: CType { Pointees.pointer(to: Pointee.self, isConstant: false) }
}

/// Pointed-to types.
private enum Pointees {
    static func pointer<Pointee>(to type: Pointee.Type, isConstant: Bool) -> CType {
        // `CChar` is `Int8`, and C's characters are no `int8_t` to a reader.
        let pointee = type is CChar.Type ? CType("char") : (type as? any PealValue.Type)?.cType ?? CType("void")
        // The `const` of `const char **` is after the first star.
        let isPointer = pointee.text.hasSuffix("*")
        let text =
            switch (isConstant, isPointer) {
            case (true, true): "\(pointee.text)const *"
            case (true, false): "const \(pointee.text) *"
            case (false, true): "\(pointee.text)*"
            case (false, false): "\(pointee.text) *"
            }
        return CType(text, declaration: pointee.declaration)
    }
}

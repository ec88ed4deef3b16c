/// Sizes, counts and indices of the caller.
///
/// Swift imports `size_t` as `Int`. A value of half the address space or more, such as the `SIZE_MAX` that programs write
/// for "no bound", therefore arrives as a negative number. Nothing is computed with it before it has passed here. Values
/// that are only compared with an expected one may pass here after the comparison has failed.
public enum CallerSize {
    /// The value, or the largest number if the value is greater. Nothing has so many bytes or elements.
    public static func clamped(_ size: Int) -> Int { size < 0 ? .max : size }

    /// The room in memory of the caller. No memory has more than half the address space, so a greater value is a mistake.
    public static func room(_ capacity: Int) throws(Failure) -> Int {
        guard capacity >= 0 else {
            throw Failure(
                .argument, "capacity is above half the address space; give the room that the buffer or array has")
        }
        return capacity
    }

    /// Returns true if a structure of the caller, which may be of a later version, has at least a size by its first member.
    /// No structure has half the address space.
    static func isDeclared(_ size: Int, at structure: UnsafeRawPointer) -> Bool {
        structure.load(as: Int.self) >= size
    }

    /// The size that a structure of the caller declares in its first member.
    public static func declared(at structure: UnsafeRawPointer) -> Int {
        clamped(structure.load(as: Int.self))
    }
}

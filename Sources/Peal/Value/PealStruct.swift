/// A struct that C passes by value.
///
/// One that C declares and Swift imports conforms in one line, which repeats the declaration:
///
///     extension point: PealStruct { static let structure = Structure<point>("struct point { double x, y; };") }
///
/// One of Swift's own names its members, and peal writes the declaration; it is checked that they lie where C
/// would have them:
///
///     struct Point: PealStruct {
///         var x, y: Double
///         static let structure = Structure<Point>("point", .member("x", \.x), .member("y", \.y))
///     }
public protocol PealStruct: PealPlainValue {
    /// What C is told of the struct.
    static var structure: Structure<Self> { get }
}

extension PealStruct {
    /// `struct`, and the name.
    public static var cType: CType { structure.cType }
}

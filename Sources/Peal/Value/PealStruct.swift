/// A struct that C passes by value.
///
/// A struct that C declares and Swift imports conforms by one line, which repeats the declaration:
///
///     extension point: @retroactive PealStruct {
///         public static let structure = Structure<point>("struct point { double x, y; };")
///     }
///
/// A struct of Swift names its members, and peal writes the declaration. The positions of the members are compared
/// with those in C:
///
///     struct Point: PealStruct {
///         var x, y: Double
///         static let structure = Structure<Point>("point", .member("x", \.x), .member("y", \.y))
///     }
public protocol PealStruct: PealPlainValue {
    /// The description of the struct for C.
    static var structure: Structure<Self> { get }
}

extension PealStruct {
    /// `struct`, and the name.
    public static var cType: CType { structure.cType }
}

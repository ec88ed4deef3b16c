/// Peal's own services of a center.
enum BuiltInServices {
    static func methods(of proto: String) -> [String]? { nil }

    static func register(in center: Center) throws(Failure) {}
}

public import CPeal
public import Glibc
public import Peal
import Testing

// One line makes a type conform that C declares and Swift imports.
extension div_t: PealStruct {
    public static let structure = Structure<div_t>("typedef struct { int quot; int rem; } div_t;")
}

extension peal_overflow: PealEnum {
    public static var cType: CType { CType("enum overflow") }
    public static var unknown: peal_overflow { PEAL_OVERFLOW_REJECT }
}

private enum Imported: PealProtocol {
    static let divide = Method<div_t, Int32, Int32>("divide", policy: .last)
    static let sum = Method<Int32, div_t, peal_overflow>("sum_of", policy: .last)
    static let methods: [any MethodDeclaration] = [divide, sum]
}

@Suite struct ImportedTests {
    @Test func `structs and enums that C declares are passed by value`() throws {
        let center = try Center()
        #expect(peal_type_declare(center.handle, "enum overflow { NONE, SOME, ALL };") == PEAL_OK)
        let observation = try center.observe(Imported.self) {
            $0.on(Imported.divide) { div($0, $1) }
            $0.on(Imported.sum) { $0.quot + $0.rem + Int32($1.rawValue) }
        }
        let result = try center.ask(Imported.divide, 17, 5)
        #expect(result.quot == 3 && result.rem == 2)
        #expect(try center.ask(Imported.sum, result, PEAL_OVERFLOW_DROP_NEWEST) == 7)
        withExtendedLifetime(observation) {}
    }
}

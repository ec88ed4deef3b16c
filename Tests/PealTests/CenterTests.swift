import Peal
import Testing

@Suite struct CenterTests {
    @Test func aCenterHasANumber() throws {
        let center = try Center()
        #expect(center.handle.number != 0)
        #expect(center.handle.number != Center.default.handle.number)
    }
}

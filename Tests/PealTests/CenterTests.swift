import Peal
import Testing

@Suite struct CenterTests {
    @Test func `a center has a handle`() throws {
        let center = try Center()
        #expect(center.handle.number != 0)
        #expect(center.handle.number != Center.default.handle.number)
    }
}

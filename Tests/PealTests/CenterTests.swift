import Peal
import Testing

@Suite struct CenterTests {
    @Test func `a center has a handle`() throws {
        let center = try Center()
        #expect(center.handle.id != 0)
        #expect(center.handle.id != Center.default.handle.id)
    }
}

import Testing

@testable import PealCall

/// Call plans, which are derived from libffi, compared with the System V ABI of x86-64. The generated C programs of
/// Tests/signatures prove that the calls are correct.
@Suite struct CallPlanTests {
    private func plan(_ result: ValueShape, _ parameters: [ValueShape]) throws -> CallPlan {
        try CallPlanCache.plan(for: CallShape(result: result, parameters: parameters)).pointee
    }

    @Test func `a shape is planned once and shared`() throws {
        let shape = CallShape(result: .int32, parameters: [.double, .pointer])
        #expect(try CallPlanCache.plan(for: shape) == CallPlanCache.plan(for: shape))
    }

    @Test(
        arguments: [
            ([], 0), ([.pointer], 1), ([.pointer, .int32], 2), ([.int8, .uint16, .bool, .int64, .pointer], 5),
            ([.double, .double], 6), ([.structure([.double, .double])], 6), ([.float, .double, .float], 12),
            (Array(repeating: ValueShape.pointer, count: 8), 20), (Array(repeating: .double, count: 9), 26),
        ] as [([ValueShape], UInt8)])
    func `parameters choose the smallest frame`(_ parameters: [ValueShape], _ frame: UInt8) throws {
        #expect(try plan(.void, parameters).frame?.rawValue == frame)
    }

    @Test(
        arguments: [
            (.void, .none), (.bool, .integer), (.int64, .integer), (.pointer, .integer), (.float, .float),
            (.double, .float), (.complexFloat, .float), (.complexDouble, .floats),
            (.structure([.float, .float]), .float), (.structure([.float, .float, .float]), .floats),
            (.structure([.int64, .int8]), .integers), (.structure([.double, .int32]), .floatInteger),
            (.structure([.int32, .float, .double]), .integerFloat),
            (.structure([.int64, .int64, .int64]), .elsewhere), (.longDouble, .elsewhere),
            (.complexLongDouble, .elsewhere),
        ] as [(ValueShape, ResultLocation)])
    func `results are found in their registers`(_ result: ValueShape, _ place: ResultLocation) throws {
        #expect(try plan(result, [.int32]).resultLocation == place)
    }

    @Test func `a result that fits into no register has no frame`() throws {
        #expect(try plan(.longDouble, [.int32]).frame == nil)
        #expect(try plan(.structure([.int64, .int64, .int64]), []).frame == nil)
    }

    @Test func `arguments past the stack's words have no frame`() throws {
        #expect(try plan(.void, Array(repeating: .int64, count: 21)).frame?.usesStack == true)
        #expect(try plan(.void, Array(repeating: .int64, count: 22)).frame == nil)
    }

    @Test func `integers in order are distinguished by their widths`() throws {
        #expect(try plan(.void, [.pointer, .int32, .uint64]).integers == .init(count: 3, narrow: 0b010))
        #expect(try plan(.void, [.pointer, .int16]).integers == nil)
        #expect(try plan(.void, [.pointer, .double]).integers == nil)
        #expect(try plan(.void, [.structure([.int64])]).integers == .init(count: 1, narrow: 0))
        #expect(try plan(.void, [.structure([.int64, .int64])]).integers == nil)
    }

    @Test func `a null pointer to an argument builds no frame`() throws {
        let plan = try CallPlanCache.plan(for: CallShape(result: .void, parameters: [.int32, .int32]))
        var words = [UInt64](repeating: 0, count: 30)
        var value: Int32 = -1
        withUnsafeMutablePointer(to: &value) { value in
            #expect(!CallPlan.buildFrame(plan, from: [UnsafeMutableRawPointer(value), nil], into: &words))
            #expect(
                CallPlan.buildFrame(
                    plan, from: [UnsafeMutableRawPointer(value), UnsafeMutableRawPointer(value)], into: &words))
        }
        #expect(words[1] == UInt64.max && words[2] == UInt64.max)
    }

    @Test(
        arguments: [
            (.structure([.int8, .int64, .int8]), 24, 8), (.structure([.int8, .longDouble]), 32, 16),
            (.structure([.int8, .int8, .int8]), 3, 1), (.structure([]), 0, 1), (.complexDouble, 16, 8),
        ] as [(ValueShape, Int, Int)])
    func `values are laid out as C lays them out`(_ shape: ValueShape, _ size: Int, _ alignment: Int) {
        #expect(shape.layout == (size, alignment))
    }
}

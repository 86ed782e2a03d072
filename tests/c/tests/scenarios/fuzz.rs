//! Every function of the C library by chance, from four threads. `TEST_SEED` chooses, `TEST_MS` says for
//! how long; `make test-deep` runs it longer, under the sanitizers.

use modelwire_testing::Service;
use modelwire_tests_c::scenario;

#[test]
fn fuzz() {
    let service = Service::start().unwrap();
    let ended = scenario("fuzz").at(&service).run().succeeded();
    println!("{}", ended.stdout);
}

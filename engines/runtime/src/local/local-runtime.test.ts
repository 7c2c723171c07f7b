// @long: tries an engine by itself, which the tests of modules use, too
/** The embedded runtime in the best sandbox tier of this machine. */
import { runtimeSuite } from '@slipway/foundation/ports/runtime.suite.ts';
import { makeLocalSubject } from './runtime-subject.fixture.ts';

runtimeSuite('LocalRuntime', makeLocalSubject);

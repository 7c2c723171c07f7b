/** The embedded runtime in its node agent: all that a runtime must do, across the process's border. */
import { runtimeSuite } from '#ports/runtime.suite.ts';
import { makeAgentSubject } from './agent-subject.fixture.ts';

runtimeSuite('AgentRuntime', makeAgentSubject);

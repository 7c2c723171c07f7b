/** The behavior suite of the runtime port on a real cluster: `npm run test:engines -- kubernetes`. */
import { describe, test } from 'vitest';
import { runtimeSuite } from '#ports/runtime.suite.ts';
import { makeKubernetesSubject, testCluster } from '#testing/kubernetes/kubernetes-subject.fixture.ts';

const cluster = testCluster();
if (cluster) runtimeSuite('KubernetesRuntime', () => makeKubernetesSubject(cluster));
else
  describe('KubernetesRuntime', () => {
    test.skip('the suite needs a cluster', () => {});
  });

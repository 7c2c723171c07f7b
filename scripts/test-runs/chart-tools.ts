/** Finds the programs that try the Helm chart. A build of Helm takes some minutes, so no run of tests starts it. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { engineCache } from './engines-kit.ts';

const folder = join(engineCache, 'clients/chart');
const MODULES = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.7.0',
};

const find = (name: string): string | undefined =>
  [folder, ...(process.env['PATH'] ?? '').split(delimiter)].map((path) => join(path, name)).find((file) => existsSync(file));

/** Returns the variable for the tests of the chart. Without the programs, reports how to get them. */
export const chartTools = (): NodeJS.ProcessEnv => {
  const helm = find('helm');
  const kubeconform = find('kubeconform');
  if (helm && kubeconform) return { TEST_CHART: JSON.stringify({ helm, kubeconform }) };
  const install = Object.values(MODULES).map((module) => `GOBIN=${folder} go install ${module}`);
  process.stdout.write(`SKIPPED: the Helm chart in a cluster: helm or kubeconform is missing: ${install.join(' && ')}\n`);
  return {};
};

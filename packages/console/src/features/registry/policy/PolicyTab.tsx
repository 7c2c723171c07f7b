/** The policy of an app's registry: pull access, rejected images, retention, quota, and deletion. */
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { usePageTitle } from '#kit/page/page-title.ts';
import { useRegistry, type ShownRegistry } from '#features/registry/use-registry.ts';
import { DeleteProject } from './DeleteProject.tsx';
import { PolicyForm } from './PolicyForm.tsx';
import { PolicyNotices } from './PolicyNotices.tsx';
import { usePolicyPipeline } from './use-policy-pipeline.ts';

export function Component() {
  const shown = useRegistry();
  usePageTitle(['Registry policy', shown.place.app, shown.place.env]);
  return shown.registry ? <Policy {...shown} registry={shown.registry} /> : null;
}

function Policy({ place, registry, team }: ShownRegistry & { registry: ContainerRegistry }) {
  const pipeline = usePolicyPipeline(registry);
  return (
    <>
      <PolicyNotices registry={registry} pipeline={pipeline} team={team} />
      {/* The form remounts when the saved policy or its draft changes, here or elsewhere. Edits last until then. */}
      <PolicyForm key={`${place.app} ${JSON.stringify([registry.policy, registry.draft])}`} place={place} registry={registry}>
        <DeleteProject place={place} registry={registry} team={team} />
      </PolicyForm>
    </>
  );
}

/** Why the project's policy rejects an image, which revisions still run it, and what to do. */
import type { ImageDetail } from '@slipway/contract/registry/images.ts';
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { imageVulnerabilityList, type Vulnerability } from '@slipway/contract/registry/scan.ts';
import { isAtLeast } from '@slipway/contract/registry/severity.ts';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { WhyCard } from '@slipway/ui/feedback/WhyCard.tsx';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { messageFor } from '#kit/error/messages.ts';
import { severityLabels, severityTone } from '#features/registry/scan-labels.ts';
import { imageParams, type ImageRef } from '#features/registry/ScanStatus.tsx';

export interface RefusalCardProps {
  image: ImageRef;
  refusal: NonNullable<ImageDetail['refusal']>;
  registry: ContainerRegistry | undefined;
}
const shown = 3;

export function RefusalCard({ image, refusal, registry }: RefusalCardProps) {
  const list = useQuery(imageVulnerabilityList, { params: imageParams(image), query: { size: 20, allowed: 'false' } });
  const from = registry?.policy.severity;
  const stopping = (list.data?.content ?? []).filter(({ severity }) => from !== undefined && isAtLeast(severity, from));
  const fixed = stopping.filter(({ fixedIn }) => fixedIn !== null);
  const policy = paths.containerRegistry(image, 'policy');
  const [first] = stopping;
  return (
    <WhyCard
      title="A new revision from this image would be refused"
      seenTitle="What stops it"
      changedTitle="What a rebuild fixes"
      seen={stopping.slice(0, shown).map((found) => ({ tone: severityTone[found.severity], text: <Stopping found={found} /> }))}
      changed={fixed.slice(0, shown).map(({ id, package: name, fixedIn }) => (
        <span key={id}>
          <code>
            {name} {fixedIn}
          </code>{' '}
          has the fix for {id}
        </span>
      ))}
      actions={
        <>
          {first && (
            <LinkButton variant="primary" href={`${policy}?allow=${encodeURIComponent(first.id)}`}>
              Allow with a reason
            </LinkButton>
          )}
          <LinkButton href={policy}>Open the policy</LinkButton>
        </>
      }
    >
      <p>412 PROJECTPOLICYVIOLATION: {messageFor(refusal.code, refusal.context)} What serves now keeps running and may restart.</p>
    </WhyCard>
  );
}

function Stopping({ found: { id, severity, package: name, installed } }: { found: Vulnerability }) {
  return (
    <>
      <code>{id}</code> {severityLabels[severity].toLowerCase()}, in {name} {installed}
    </>
  );
}

/** The retention rule, and the storage of the largest repositories. */
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { retentionPreview } from '@slipway/contract/registry/retention.ts';
import { DurationBar } from '@slipway/ui/figures/DurationBar.tsx';
import { bytes } from '@slipway/ui/format/bytes.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import type { RegistryPlace } from '#features/registry/use-registry.ts';
import { retentionWords } from '#features/registry/retention-words.ts';
import css from './StoragePanels.module.css';

interface PanelProps {
  place: RegistryPlace;
  registry: ContainerRegistry;
}

export function RetentionPanel({ place, registry }: PanelProps) {
  const { policy, lastRetention, nextRetentionAt } = registry;
  const { data: preview } = useQuery(retentionPreview, policy.retention !== null && { params: { ...place } });
  const policyHref = `${paths.containerRegistry(place, 'policy')}#retention`;
  return (
    <Panel aria-labelledby="retention-panel">
      <PanelHead title="Retention" titleId="retention-panel">
        <Link href={policyHref}>{policy.retention === null ? 'Set a rule' : 'Edit'}</Link>
      </PanelHead>
      <PanelBody className="stack stack-8 dense">
        <p>{retentionWords(policy.retention)}</p>
        {policy.retention !== null && <p className="quiet">Never deletes a tag that a revision runs or that a rollback needs.</p>}
      </PanelBody>
      <ul className={css.lines}>
        {lastRetention && (
          <li>
            <RelativeTime at={lastRetention.at} isShort />
            <span className="push num">
              {count(lastRetention.tags, 'tag')}, {bytes(lastRetention.sizeBytes)} freed
            </span>
          </li>
        )}
        {nextRetentionAt !== null && preview && (
          <li>
            <span>
              Next, <RelativeTime at={nextRetentionAt} />
            </span>
            <Link className="push num" href={policyHref}>
              {count(preview.tags, 'tag')}, {bytes(preview.sizeBytes)}
            </Link>
          </li>
        )}
      </ul>
    </Panel>
  );
}

export function StoragePanel({ place, registry }: PanelProps) {
  const { storage, repositories, project } = registry;
  const largest = Math.max(1, ...repositories.map(({ sizeBytes }) => sizeBytes));
  return (
    <Panel aria-labelledby="storage-panel">
      <PanelHead
        title="Storage by repository"
        titleId="storage-panel"
        note={`${bytes(storage.usedBytes)}${storage.quotaBytes === null ? '' : ` of ${bytes(storage.quotaBytes)}`}`}
      />
      <ul className={css.lines}>
        {repositories.map(({ repository, sizeBytes }) => {
          const name = repository.startsWith(`${project}/`) ? repository.slice(project.length + 1) : repository;
          return (
            <li key={repository}>
              <Link className={`ell ${css.name}`} href={paths.repository({ ...place, repository: name })}>
                {name}
              </Link>
              <span className="push num">{bytes(sizeBytes)}</span>
              <span className={css.bar}>
                <DurationBar value={sizeBytes / largest} />
              </span>
            </li>
          );
        })}
        {storage.uploadingBytes > 0 && (
          <li>
            <span className="quiet">Uploads under way</span>
            <span className="push num">{bytes(storage.uploadingBytes)}</span>
            <span className={css.bar} />
          </li>
        )}
      </ul>
    </Panel>
  );
}

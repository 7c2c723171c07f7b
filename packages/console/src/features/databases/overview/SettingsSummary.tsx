/** Summary of the database's settings, with a link to change them. */
import { databasePlanFacts, databaseStatementSeconds } from '@slipway/contract/database/database-plan.ts';
import type { Database } from '@slipway/contract/database/database.ts';
import { count } from '@slipway/ui/format/count.ts';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { paths } from '#entities/paths.ts';
import { regionName } from '#entities/region.ts';
import { nextStorage, planSize, storageLabel } from '#features/databases/database-labels.ts';
import type { DatabasePlace } from '#features/databases/database-place.ts';

export function SettingsSummary({ place, database }: { place: DatabasePlace; database: Database }) {
  const { plan, storageGb, maxConnections, backupRetentionDays, region, active, reader } = database;
  const next = nextStorage(storageGb);
  return (
    <Panel aria-labelledby="settings-summary">
      <PanelHead title="Settings" titleId="settings-summary">
        <Link href={paths.database(place, 'settings')}>
          Edit<span className="sr"> settings</span>
        </Link>
      </PanelHead>
      <PanelBody>
        <KeyValue
          items={[
            { label: 'Plan', value: databasePlanFacts[plan].label },
            { label: 'CPU and memory', value: planSize(plan) },
            {
              label: 'Storage',
              value: next === undefined ? storageLabel(storageGb) : `${storageLabel(storageGb)}, next step ${storageLabel(next)}`,
            },
            { label: 'Max connections', value: maxConnections.toLocaleString('en') },
            { label: 'Read-only login', value: reader ? count(reader.maxConnections, 'connection') : 'Off' },
            { label: 'Backup retention', value: count(backupRetentionDays, 'day') },
            { label: 'Statement timeout', value: `${databaseStatementSeconds} s, unless a session sets another` },
            { label: 'Region', value: regionName(region) },
            { label: 'Active', value: active ? 'Yes' : 'No' },
          ]}
        />
      </PanelBody>
    </Panel>
  );
}

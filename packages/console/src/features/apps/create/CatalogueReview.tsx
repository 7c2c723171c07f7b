/** The chosen entry as the catalog describes it: platform, macId, description and status. */
import type { CatalogMatch } from '@slipway/contract/catalog/fuzzy-search.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import type { StatusLook } from '#entities/status.ts';

export const entryLook: Readonly<Record<CatalogMatch['status'], StatusLook>> = {
  PENDING: { tone: 'warn', word: 'Pending' },
  ACTIVE: { tone: 'ok', word: 'Active' },
  REJECTED: { tone: 'bad', word: 'Rejected' },
  DECOMMISSIONED: { tone: 'idle', word: 'Decommissioned' },
};

export function CatalogueReview({ entry, back }: { entry: CatalogMatch; back: string }) {
  const { tone, word } = entryLook[entry.status];
  return (
    <Panel aria-labelledby="catalogue-entry">
      <PanelHead title={entry.name} titleId="catalogue-entry">
        <Link href={back}>Choose another</Link>
      </PanelHead>
      <PanelBody>
        <KeyValue
          items={[
            { label: 'Platform', value: entry.platformName },
            { label: 'macId', value: <code>{entry.id}</code> },
            { label: 'Description', value: entry.description },
            { label: 'Status', value: <Status tone={tone}>{word}</Status> },
          ]}
        />
      </PanelBody>
    </Panel>
  );
}

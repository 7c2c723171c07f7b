/** The checks of an application, failed ones first. Some have a button that fixes them. */
import { catalogAttestationSet, type CatalogApplication } from '@slipway/contract/catalog/application.ts';
import type { ScorecardCheck } from '@slipway/contract/catalog/rules.ts';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Gauge } from '@slipway/ui/figures/Gauge.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { paths } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import { reporting } from '#kit/error/global-error.ts';
import { checkNames } from '#features/catalog/catalog-labels.ts';
import type { Entry } from '#features/catalog/entry-kinds.ts';
import css from './EntryOverview.module.css';

interface Props {
  entry: Entry & CatalogApplication;
  reload: () => void;
}

export function Scorecard({ entry, reload }: Props) {
  const { scorecard } = entry;
  const holding = scorecard.filter(({ holds }) => holds).length;
  const score = `${holding} of ${scorecard.length}`;
  return (
    <Panel aria-labelledby="scorecard">
      <PanelHead title="Scorecard" titleId="scorecard">
        <Gauge label={score} value={holding} of={scorecard.length} hotFrom={2}>
          {score}
        </Gauge>
      </PanelHead>
      <ul className={css.people}>
        {scorecard
          .toSorted((one, other) => Number(one.holds) - Number(other.holds))
          .map(({ check, holds }) => (
            <li key={check}>
              <StatusIcon tone={holds ? 'ok' : 'warn'} />
              <span>{holds ? checkNames[check].holds : checkNames[check].fails}</span>
              {!holds && (
                <span className="push">
                  <Fix check={check} entry={entry} reload={reload} />
                </span>
              )}
            </li>
          ))}
      </ul>
    </Panel>
  );
}

/** Confirms for a year that the entry is still true. */
export function AttestButton({ entry, reload }: Props) {
  const { send, isBusy } = useWrite(catalogAttestationSet);
  const attest = reporting(async () => {
    await send({ params: { appId: entry.id } });
    toast.success(`${entry.name} is confirmed for a year`);
    reload();
  });
  return (
    <Button size="sm" isBusy={isBusy} onClick={() => void attest()}>
      Still true
    </Button>
  );
}

function Fix({ check, entry, reload }: Props & { check: ScorecardCheck }) {
  if (check === 'true' && entry.can['attest'] === true) return <AttestButton entry={entry} reload={reload} />;
  if (check === 'issues') {
    return (
      <LinkButton size="sm" href={paths.catalogEntry(entry, 'requests')}>
        View requests
      </LinkButton>
    );
  }
  if (check === 'runs' && entry.app === null) {
    return (
      <LinkButton size="sm" href={`${paths.newAppCatalogue()}?macId=${encodeURIComponent(entry.id)}`}>
        Create the app
      </LinkButton>
    );
  }
  return null;
}

/** Checks before a decision, each with an icon, a label, and an explanation. */
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import type { Tone } from '@slipway/ui/tone.ts';
import { useId, type ReactNode } from 'react';
import css from './CheckList.module.css';
import { LineList } from './LineList.tsx';

export interface Check {
  key: string;
  tone: Tone;
  main: ReactNode;
  below?: ReactNode;
  end?: ReactNode;
}

export function CheckList({ title, checks }: { title: string; checks: readonly Check[] }) {
  const id = useId();
  return (
    <Panel aria-labelledby={id}>
      <PanelHead title={title} titleId={id} />
      <LineList
        items={checks.map(({ key, tone, main, below, end }) => ({
          key,
          end,
          main: (
            <div className={css.check}>
              <StatusIcon tone={tone} className={css.mark} />
              <div>
                {main}
                {below !== undefined && <div className="meta">{below}</div>}
              </div>
            </div>
          ),
        }))}
      />
    </Panel>
  );
}

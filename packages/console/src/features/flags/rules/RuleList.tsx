/** The rules of a flag in order. A rule is moved by dragging it, or with its buttons. */
import type { FlagRule } from '@slipway/contract/flag/flag-rule.ts';
import type { Flag } from '@slipway/contract/flag/flag.ts';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { VisuallyHidden } from '@slipway/ui/layout/VisuallyHidden.tsx';
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { newRule, ruleAnswer, ruleTitle } from '../flag-labels.ts';
import type { FlagPlace } from '../flag-labels.ts';
import css from '../Flags.module.css';
import { RuleDialog } from './RuleDialog.tsx';

interface RuleListProps {
  place: FlagPlace;
  flag: Flag;
  rules: FlagRule[];
  onChange: (rules: FlagRule[]) => void;
  disabledReason: string | undefined;
}

export const moved = <T,>(list: readonly T[], from: number, to: number): T[] => {
  const [item] = list.slice(from, from + 1);
  const rest = list.filter((_, at) => at !== from);
  return item === undefined ? [...list] : rest.toSpliced(to, 0, item);
};

export function RuleList({ place, flag, rules, onChange, disabledReason }: RuleListProps) {
  const [edited, setEdited] = useState<FlagRule>();
  const [dragged, setDragged] = useState<number>();
  const [said, setSaid] = useState('');
  const isDisabled = disabledReason !== undefined;
  const why = (reason = disabledReason) =>
    (disabledReason ?? reason) === undefined ? {} : { disabledReason: disabledReason ?? reason ?? '' };
  const move = (from: number, to: number) => {
    onChange(moved(rules, from, to));
    setSaid(`Rule ${from + 1} is now rule ${to + 1}`);
  };
  const add = () => setEdited(newRule(flag.type, `rule-${crypto.randomUUID().slice(0, 8)}`));
  return (
    <>
      <PanelHead title={`Rules in ${place.env}`} level={3} note="The first that matches decides">
        <Button size="sm" icon={<Plus aria-hidden="true" />} onClick={add} {...(isDisabled ? { disabledReason } : {})}>
          Add a rule
        </Button>
      </PanelHead>
      <ol className={css.rules}>
        {rules.map((rule, at) => (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- dragging is a shortcut for the buttons
          <li
            key={rule.id}
            className={css.rule}
            draggable={!isDisabled}
            data-dragged={dragged === at || undefined}
            onDragStart={() => setDragged(at)}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => dragged !== undefined && event.preventDefault()}
            onDrop={() => {
              if (dragged !== undefined && dragged !== at) move(dragged, at);
              setDragged(undefined);
            }}
          >
            <span className={css.number}>{at + 1}</span>
            <div>
              <div>
                <strong>{ruleTitle(rule)}</strong> → {ruleAnswer(rule)} {!rule.enabled && <Tag>Disabled</Tag>}
                {(rule.startsAt !== null || rule.endsAt !== null) && <Tag>Scheduled</Tag>}
              </div>
              {rule.description !== '' && <div className="meta">{rule.description}</div>}
            </div>
            <div className={css.buttons}>
              <IconButton
                size="sm"
                label={`Move rule ${at + 1} up`}
                icon={<ArrowUp aria-hidden="true" />}
                {...why(at === 0 ? 'It is the first rule' : undefined)}
                onClick={() => move(at, at - 1)}
              />
              <IconButton
                size="sm"
                label={`Move rule ${at + 1} down`}
                icon={<ArrowDown aria-hidden="true" />}
                {...why(at === rules.length - 1 ? 'It is the last rule' : undefined)}
                onClick={() => move(at, at + 1)}
              />
              <IconButton
                size="sm"
                label={`Edit rule ${at + 1}`}
                icon={<Pencil aria-hidden="true" />}
                {...why()}
                onClick={() => setEdited(rule)}
              />
              <IconButton
                size="sm"
                label={`Remove rule ${at + 1}`}
                icon={<Trash2 aria-hidden="true" />}
                {...why()}
                onClick={() => onChange(rules.filter((one) => one !== rule))}
              />
            </div>
          </li>
        ))}
        {rules.length === 0 && <li className={css.none}>No rules: everyone gets the value below.</li>}
      </ol>
      <VisuallyHidden>
        <span aria-live="polite">{said}</span>
      </VisuallyHidden>
      {edited && (
        <RuleDialog
          app={place.app}
          flag={flag}
          rule={edited}
          onClose={() => setEdited(undefined)}
          onDone={(rule) => {
            onChange(rules.some(({ id }) => id === rule.id) ? rules.map((one) => (one.id === rule.id ? rule : one)) : [...rules, rule]);
            setEdited(undefined);
          }}
        />
      )}
    </>
  );
}

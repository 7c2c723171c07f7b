/** Rollout: how a new revision takes over, and which pushed images deploy automatically. */
import { FormRow } from '@slipway/ui/form/FormGroup.tsx';
import type { RolloutStrategy } from '@slipway/contract/service/service-spec.ts';
import { choiceLabels } from '#entities/plan/setting-labels.ts';
import { CardsSetting, SegmentedSetting, TextSetting } from './fields.tsx';
import css from './RolloutSection.module.css';
import { RolloutPicture } from './RolloutPicture.tsx';
import { Section } from './Section.tsx';
import { useSettings, useSettingValue } from '#features/services/settings/settings-context.ts';
import { TagTester } from './TagTester.tsx';

const notes: Readonly<Record<RolloutStrategy, string>> = {
  ROLLING_UPDATE: 'One instance after the other. The old revision is deleted once the new one is healthy. No downtime.',
  RED_BLACK: 'All new instances beside the old ones, then the traffic moves at once. The old revision is kept, disabled. No downtime.',
  RECREATE: 'The old instances stop first. The address answers 503 until the new ones are healthy.',
};
/** Safest strategy first. */
const order: readonly RolloutStrategy[] = ['ROLLING_UPDATE', 'RED_BLACK', 'RECREATE'];
const strategies = order.map((value) => ({
  value,
  label: choiceLabels['spec.rollout.strategy']?.[value] ?? value,
  note: notes[value],
  picture: <RolloutPicture strategy={value} />,
}));

export function RolloutSection() {
  const { isMember } = useSettings();
  const type = useSettingValue<string>('spec.imageUpdatePolicy.type');
  return (
    <Section name="rollout">
      <div className={css.strategies}>
        <CardsSetting path="spec.rollout.strategy" options={strategies} isRow />
        <p className="meta">
          Outlined: old instances. Filled: new ones. The line between them is the traffic, from left to right over time.
        </p>
      </div>
      <FormRow
        help={
          type === 'REGEX'
            ? 'A pushed image whose whole tag matches is deployed. The newest that is there already is not.'
            : 'People and pushes to the repository deploy; an image that is pushed waits for them.'
        }
      >
        <SegmentedSetting path="spec.imageUpdatePolicy.type" />
        {type === 'REGEX' && (
          <>
            <TextSetting path="spec.imageUpdatePolicy.regex.pattern" isMono placeholder="v\d+\.\d+\.\d+" />
            {isMember && <TagTester />}
          </>
        )}
      </FormRow>
    </Section>
  );
}

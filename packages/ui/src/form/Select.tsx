// A choice of few options. For more than a dozen use Combobox, which has search.
import { Select as Base } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { classNames } from '../class-names.ts';
import { useFieldControl } from './Field.tsx';
import { inputClass } from './Input.tsx';
import popup from '../overlay/Popup.module.css';
import css from './Select.module.css';

export interface SelectOption<Value extends string = string> {
  value: Value;
  label: string;
  /** Muted text at the right of the option. */
  note?: ReactNode;
  /** Keeps the option in the list, grayed out, with the reason after it. */
  disabledReason?: string;
}

export interface SelectProps<Value extends string> {
  options: SelectOption<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
  onBlur?: () => void;
  ref?: Ref<HTMLButtonElement>;
  name?: string;
  id?: string;
  placeholder?: string;
  isReadOnly?: boolean;
  isDisabled?: boolean;
  className?: string;
  'aria-label'?: string;
  'aria-describedby'?: string;
}

export function Select<Value extends string>(props: SelectProps<Value>) {
  const { options, value, onChange, onBlur, ref, name, placeholder = 'Choose', isReadOnly, isDisabled, className } = props;
  const control = useFieldControl(props);
  return (
    <Base.Root
      items={options}
      value={value}
      onValueChange={(next) => {
        if (next !== null) onChange(next);
      }}
      name={name}
      readOnly={isReadOnly}
      disabled={isDisabled}
    >
      <Base.Trigger
        ref={ref}
        {...control}
        aria-label={props['aria-label']}
        onBlur={onBlur}
        className={classNames(inputClass, css.trigger, className)}
      >
        <Base.Value className={css.value} placeholder={<span className={css.placeholder}>{placeholder}</span>} />
        <ChevronDown aria-hidden="true" className={css.chevron} />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={popup.positioner} sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className={classNames(popup.popup, css.popup)}>
            <Base.List>
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} disabled={option.disabledReason !== undefined} className={popup.item}>
                  <span className={popup.tickSpace}>
                    <Base.ItemIndicator>
                      <Check aria-hidden="true" className={popup.tick} />
                    </Base.ItemIndicator>
                  </span>
                  <Base.ItemText>{option.label}</Base.ItemText>
                  {(option.note ?? option.disabledReason) !== undefined && (
                    <span className={popup.note}>{option.disabledReason ?? option.note}</span>
                  )}
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

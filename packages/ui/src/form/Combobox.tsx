// A selection from many options, with search inside the popup. With `onSearch` the server filters.
import { Combobox as Base } from '@base-ui/react/combobox';
import { Check, ChevronsUpDown, Search } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { classNames } from '../class-names.ts';
import css from './Combobox.module.css';
import { useFieldControl } from './Field.tsx';
import { inputClass } from './Input.tsx';
import popup from '../overlay/Popup.module.css';

export interface ComboboxOption {
  value: string;
  label: string;
  note?: ReactNode;
}

export interface ComboboxProps {
  options: ComboboxOption[];
  value: string | null;
  onChange: (value: string | null) => void;
  /** Name of the search box ("Search image tags"). */
  searchLabel: string;
  onSearch?: (query: string) => void;
  /** Shown if no option matches. */
  emptyText?: ReactNode;
  isLoading?: boolean;
  onBlur?: () => void;
  ref?: Ref<HTMLButtonElement>;
  name?: string;
  id?: string;
  placeholder?: string;
  isMono?: boolean;
  isReadOnly?: boolean;
  isDisabled?: boolean;
  'aria-label'?: string;
  'aria-describedby'?: string;
}

function ComboboxPopup({ props }: { props: ComboboxProps }) {
  const { searchLabel, emptyText = 'Nothing fits', isLoading = false, isMono } = props;
  return (
    <Base.Popup className={classNames(popup.popup, css.popup)} aria-label={searchLabel}>
      <div className={css.search}>
        <Search aria-hidden="true" className={css.icon} />
        <Base.Input className={classNames(inputClass, css.input)} aria-label={searchLabel} placeholder={searchLabel} />
      </div>
      <Base.Status className={popup.empty}>{isLoading ? 'Searching…' : null}</Base.Status>
      <Base.Empty className={popup.empty}>{isLoading ? null : emptyText}</Base.Empty>
      <Base.List className={css.list}>
        {(option: ComboboxOption) => (
          <Base.Item key={option.value} value={option} className={popup.item}>
            <span className={popup.tickSpace}>
              <Base.ItemIndicator>
                <Check aria-hidden="true" className={popup.tick} />
              </Base.ItemIndicator>
            </span>
            <span className={isMono ? 'mono' : undefined}>{option.label}</span>
            {option.note !== undefined && <span className={popup.note}>{option.note}</span>}
          </Base.Item>
        )}
      </Base.List>
    </Base.Popup>
  );
}

export function Combobox(props: ComboboxProps) {
  const { options, value, onChange, onSearch, onBlur, ref, name, placeholder = 'Choose', isMono, isReadOnly, isDisabled } = props;
  const control = useFieldControl(props);
  // A value that is not among the options (yet) is shown as is.
  const selected = value === null ? null : (options.find((option) => option.value === value) ?? { value, label: value });
  return (
    <Base.Root
      items={options}
      value={selected}
      onValueChange={(option) => onChange(option?.value ?? null)}
      isItemEqualToValue={(a, b) => a.value === b.value}
      itemToStringLabel={(option) => option.label}
      itemToStringValue={(option) => option.value}
      {...(onSearch ? { filter: null, onInputValueChange: onSearch } : {})}
      autoHighlight
      name={name}
      readOnly={isReadOnly}
      disabled={isDisabled}
    >
      <Base.Trigger ref={ref} {...control} aria-label={props['aria-label']} onBlur={onBlur} className={classNames(inputClass, css.trigger)}>
        <span className={classNames('ell', selected === null && css.placeholder, isMono && selected !== null && 'mono')}>
          {selected?.label ?? placeholder}
        </span>
        <ChevronsUpDown aria-hidden="true" className={css.chevron} />
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className={popup.positioner} sideOffset={4} align="start">
          <ComboboxPopup props={props} />
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}

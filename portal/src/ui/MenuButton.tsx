// A button that opens a menu of actions in groups.

import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from "react-aria-components";
import { Button } from "./Button";
import styles from "./MenuButton.module.css";

export interface MenuGroup<T extends string> {
  title: string;
  items: readonly { id: T; label: string; detail?: string }[];
}

interface MenuButtonProps<T extends string> {
  label: string;
  groups: readonly MenuGroup<T>[];
  onChoose: (id: T) => void;
  /** Why it is disabled. */
  why?: string | undefined;
}

export function MenuButton<T extends string>(props: MenuButtonProps<T>) {
  const { label, groups, onChoose, why } = props;
  return (
    <MenuTrigger>
      <Button small why={why}>
        {label}
      </Button>
      <Popover className={styles["popover"] ?? ""} placement="bottom start">
        <Menu className={styles["menu"] ?? ""} onAction={(id) => onChoose(id as T)}>
          {groups.map(({ title, items }) => (
            <MenuSection key={title}>
              <Header className={styles["title"] ?? ""}>{title}</Header>
              {items.map((item) => (
                <MenuItem
                  key={item.id}
                  id={item.id}
                  textValue={item.label}
                  className={styles["item"] ?? ""}
                >
                  {item.label}
                  {item.detail !== undefined && (
                    <span className={styles["detail"]}>{item.detail}</span>
                  )}
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

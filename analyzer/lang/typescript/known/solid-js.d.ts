// What Solid's functions keep of what they are given. Written for kg.
export interface Context<T> { Provider: any; }
export type Accessor<T> = () => T;
export type Setter<T> = (value: T | ((previous: T) => T)) => T;

export function createContext<T>(value?: T): Context<T>;
export function useContext<T>(context: Context<T>): T;
export function createSignal<T>(): [Accessor<T | undefined>, Setter<T | undefined>];
export function createSignal<T>(value: T, options?: any): [Accessor<T>, Setter<T>];
export function createMemo<T>(make: (previous: T) => T, value?: T, options?: any): Accessor<T>;
export function untrack<T>(read: () => T): T;
export function batch<T>(run: () => T): T;
export function lazy<T>(load: () => Promise<{ default: T }>): T;

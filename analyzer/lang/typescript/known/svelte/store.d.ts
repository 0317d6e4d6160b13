// What Svelte's stores keep of what they are given. Written for kg.
export interface Readable<T> { subscribe(hear: (value: T) => void, invalidate?: any): () => void; }
export interface Writable<T> extends Readable<T> { set(value: T): void; update(make: (value: T) => T): void; }

export function writable<T>(value?: T, start?: any): Writable<T>;
export function readable<T>(value?: T, start?: any): Readable<T>;
export function get<T>(store: Readable<T>): T;

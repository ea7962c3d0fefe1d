-- A profile whose file is gone and that nobody wants any more: kept for what was made of it, offered no longer.
alter table profile_version add column retired_at timestamptz;

-- The user of compose.yaml. It creates a database for the cloud, and one for each region.
CREATE USER 'cumulet'@'%' IDENTIFIED BY 'cumulet';
GRANT ALL ON `cumulet%`.* TO 'cumulet'@'%';

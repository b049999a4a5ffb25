DROP TABLE listing;
